internal import Synchronization

/// An operation on a queue: its state, its outcome, and a way to cancel it.
public final class OperationHandle<Output: Sendable>: Sendable {
    package let core: OperationCore
    let box: OutputBox<Output>

    init(core: OperationCore, box: OutputBox<Output>) {
        self.core = core
        self.box = box
    }

    /// The display name.
    public var name: String { core.name }

    /// Its state.
    public var state: OperationState { core.state }

    /// The outcome; nil before the end.
    public var ending: OperationEnding? { core.ending }

    /// Requests a cancellation. An operation that is not being executed ends immediately; a running one has its grace
    /// period. Further requests, or one after the end, have no effect.
    /// - Parameter reason: for people, kept in the error.
    public func cancel(reason: String? = nil) { core.cancel(code: .cancelledUser, reason: reason) }

    /// Waits for the end and returns the outcome, even when the waiting task is cancelled:
    /// `waitUntilFinishedOrCancelled` does not wait that long.
    ///
    /// In another operation's work, that one holds no slot meanwhile, and goes on as soon as it has one again, first in
    /// line. Work that would wait for itself, also through others, gets a failure with `dependency.cycle` at once.
    public func waitUntilFinished() async -> OperationEnding {
        do throws(AOperationError) {
            return try await core.loan.whileAwaited { await core.waitUntilFinished() }
        } catch {
            return OperationEnding(state: .failed, errors: [error])
        }
    }

    /// Waits for the end and returns the outcome; nil as soon as the waiting task is cancelled, which does not affect
    /// the operation. Otherwise as `waitUntilFinished()`.
    public func waitUntilFinishedOrCancelled() async -> OperationEnding? {
        do throws(AOperationError) {
            return try await core.loan.whileAwaited { await core.waitUntilFinishedOrCancelled() }
        } catch {
            return OperationEnding(state: .failed, errors: [error])
        }
    }

    /// Waits for the output. In another operation's work, that one holds no slot meanwhile, and goes on as soon as it
    /// has one again, first in line.
    /// - Throws: the first of its errors when it did not succeed; `cancelled.waiting` as soon as the waiting task is
    ///   cancelled, which does not affect the operation; `dependency.cycle` in work that would wait for itself, also
    ///   through others.
    public var value: Output {
        get async throws(AOperationError) {
            let ending = try await core.loan.whileAwaited { await core.waitUntilFinishedOrCancelled() }
            guard let ending else {
                throw AOperationError(
                    .cancelledWaiting,
                    detail: "The task that waited for \(name) was cancelled; \(name) itself was not.")
            }
            if ending.state == .succeeded, let value = box.value { return value }
            throw ending.errors.first
                ?? AOperationError(.unexpected, detail: "\(name) ended without a value.")
        }
    }

    /// Adds an observer, which gets all further events; a finished operation gives it the last one at once.
    public func observe(_ observer: any OperationObserver) { core.feed.attach(observer, to: core) }

    /// The errors of the hooks before its execution and its end.
    public var hookErrors: [AOperationError] { core.hookErrors }

    /// The events from now on, each once; the last one is `finished`, which a finished operation sends immediately. It
    /// ends early when the task that reads it is cancelled, and nothing is kept for one that is read no more. It has
    /// room for 10,000 events that were not read yet; then it loses the oldest, which shows in a gap of `sequence`.
    public var events: AsyncStream<OperationEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: OperationEvent.self, bufferingPolicy: .bufferingNewest(10_000))
        let observer = EventStreamObserver(continuation)
        continuation.onTermination = { [weak core, weak observer] _ in
            if let observer { core?.feed.detach(observer) }
        }
        core.feed.attach(observer, to: core)
        return stream
    }
}

/// The output of an operation.
final class OutputBox<Output: Sendable>: Sendable {
    private let content = Mutex<Output?>(nil)

    init() {}

    var value: Output? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
