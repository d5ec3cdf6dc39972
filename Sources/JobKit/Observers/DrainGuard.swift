internal import Synchronization

/// Delays the end of a program until the operations it observes are over, up to a limit.
///
/// ```swift
/// queue.add(Payment().observer(drain))
/// …
/// await drain.waitUntilDrained(within: .seconds(20), by: SystemClock())
/// ```
public final class DrainGuard: OperationObserver {
    private struct Standing {
        var running: [ObjectIdentifier: [String]] = [:]
        var waiters: [FirstAnswer<Bool>] = []
    }

    private let standing = Mutex(Standing())

    /// Guards nothing yet.
    public init() {}

    /// The paths of protected operations in execution; an operation without a group has its name as its path.
    public var protected: [[String]] {
        standing.withLock { $0.running.values.sorted { $0.lexicographicallyPrecedes($1) } }
    }

    /// Returns when none is in execution any more: true; or when `limit` is over or the task is cancelled: false.
    @discardableResult
    public func waitUntilDrained(within limit: Duration, by clock: any OperationClock) async -> Bool {
        let answer = FirstAnswer<Bool>()
        let isIdle = standing.withLock { standing -> Bool in
            if !standing.running.isEmpty { standing.waiters.append(answer) }
            return standing.running.isEmpty
        }
        if isIdle { return true }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await clock.sleep(for: limit)
                answer.give(false)
            }
            defer { group.cancelAll() }
            return await answer.value()
        }
    }

    /// Counts those in execution.
    public func operation(_ operation: OperationInfo, did event: OperationEvent) {
        let waiters = standing.withLock { standing -> [FirstAnswer<Bool>] in
            switch event.kind {
            case .started:
                standing.running[operation.id] = operation.path.isEmpty ? [operation.name] : operation.path
            case .finished: standing.running[operation.id] = nil
            default: return []
            }
            guard standing.running.isEmpty else { return [] }
            defer { standing.waiters = [] }
            return standing.waiters
        }
        for waiter in waiters { waiter.give(true) }
    }
}
