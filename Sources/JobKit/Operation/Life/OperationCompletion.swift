internal import Synchronization

/// The completion handler of work that ends by a callback. The first call counts; later ones change nothing. It may
/// be called at once or later, on any thread.
public final class OperationCompletion<Value: Sendable>: Sendable {
    private enum State {
        case open(waiter: CheckedContinuation<Result<Value, any Error>, Never>?)
        case finished(Result<Value, any Error>)
        case taken
    }

    private struct Desk {
        var state = State.open(waiter: nil)
        var isCancelled = false
        var onCancel: [@Sendable () -> Void] = []
    }

    private let desk = Mutex(Desk())

    init() {}

    /// It cannot be called any more: the work ends with an error instead of never.
    deinit {
        let detail = "The work was released without being finished."
        finish(.failure(AOperationError(.unexpected, detail: detail)))
    }

    /// The work is done.
    /// - Returns: whether this was the first call; false when it changed nothing.
    @discardableResult
    public func finish(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = desk.withLock {
            desk -> (Bool, CheckedContinuation<Result<Value, any Error>, Never>?) in
            guard case .open(let waiter) = desk.state else { return (false, nil) }
            desk.state = waiter == nil ? .finished(result) : .taken
            desk.onCancel = []
            return (true, waiter)
        }
        waiter?.resume(returning: result)
        return isFirst
    }

    /// The work produced `value`.
    @discardableResult
    public func finish(returning value: Value) -> Bool { finish(.success(value)) }

    /// The work failed.
    @discardableResult
    public func finish(throwing error: any Error) -> Bool { finish(.failure(error)) }

    /// Whether the work was cancelled.
    public var isCancelled: Bool { desk.withLock { $0.isCancelled } }

    /// Calls `handler` when the work is cancelled; immediately when it already is; never after it is done. The
    /// completion must still be finished then.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isLate = desk.withLock { desk -> Bool in
            guard case .open = desk.state else { return false }
            if !desk.isCancelled { desk.onCancel.append(handler) }
            return desk.isCancelled
        }
        if isLate { handler() }
    }

    func cancel() {
        let handlers = desk.withLock { desk -> [@Sendable () -> Void] in
            desk.isCancelled = true
            defer { desk.onCancel = [] }
            return desk.onCancel
        }
        for handler in handlers { handler() }
    }

    /// Begins the work and waits for its end. Only once.
    static func run(_ body: (OperationCompletion) -> Void) async throws -> Value {
        let inbox = Inbox<Value>()
        let isCancelled = Task.isCancelled
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let completion = OperationCompletion()
                inbox.begin(completion)
                if isCancelled { completion.cancel() }
                completion.desk.withLock { $0.state = .open(waiter: continuation) }
                body(completion)
            }
        } onCancel: {
            inbox.cancel()
        }
        return try result.get()
    }
}

extension OperationCompletion where Value == Void {
    /// The work is done.
    @discardableResult
    public func finish() -> Bool { finish(.success(())) }
}

/// Hands a cancellation to a completion that only the work itself keeps alive.
private final class Inbox<Value: Sendable>: Sendable {
    private struct State {
        weak var completion: OperationCompletion<Value>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    init() {}

    func begin(_ completion: OperationCompletion<Value>) {
        let isCancelled = state.withLock { state in
            state.completion = completion
            return state.isCancelled
        }
        if isCancelled { completion.cancel() }
    }

    func cancel() {
        let completion = state.withLock { state in
            state.isCancelled = true
            return state.completion
        }
        completion?.cancel()
    }
}
