internal import StrictJSON
internal import Synchronization

/// Stops an operation that takes too long; it fails with `timeout.total`, or `timeout.finish_by` for a date. An
/// operation may have several: the earliest wins, and the error names it, in `detail` and in `published_error.info`.
public struct TimeoutObserver: OperationObserver {
    /// A limit of an operation.
    public enum Limit: Sendable, Hashable {
        /// This long after its execution began, all attempts included. Immediately when it is not above zero.
        case interval(Duration)
        /// This date, waiting included. A past date stops the operation before its execution.
        case date(Timestamp)
    }

    /// The name in the error.
    public let name: String
    private let limit: Limit

    /// A limit with a name.
    public init(_ limit: Limit, name: String = "timeout") {
        self.limit = limit
        self.name = name
    }

    /// Starts the timer at the event that the limit counts from.
    public func operation(_ operation: OperationInfo, did event: OperationEvent) {
        switch (limit, event.kind) {
        case (.interval(let interval), .started): arm(operation) { $0.end(after: interval) }
        case (.date(let date), .submitted): arm(operation) { _ in WaitEnd(date) }
        default: break
        }
    }

    /// Starts the timer when the observer is attached late.
    public func attached(to operation: OperationInfo) {
        guard let core = operation.core, core.state != .initialized else { return }
        switch limit {
        case .interval(let interval):
            guard let startedAt = core.parts.withLock({ $0.life.executingSince }) else { return }
            arm(operation) { $0.end(of: interval, since: startedAt) }
        case .date(let date): arm(operation) { _ in WaitEnd(date) }
        }
    }

    private func arm(_ operation: OperationInfo, until end: (any OperationClock) -> WaitEnd) {
        var error =
            switch limit {
            case .interval(let interval):
                AOperationError(
                    .timeoutTotal, detail: "\(operation.name) was stopped by its \(name) of \(interval).")
            case .date(let date):
                AOperationError(
                    .timeoutFinishBy, detail: "\(operation.name) was stopped by its \(name) at \(date).")
            }
        var info = JSONObject()
        info["timeout"] = .string(name)
        error.publishedError = .init(domain: "timeout", code: 0, description: error.detail, info: info)
        guard let core = operation.core else { return }
        core.clocks.arm(until: end(core.environment.clock), error)
    }
}
