internal import Synchronization

/// A value that is set once and awaited by one task. The first answer counts; later ones are discarded.
final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let state = Mutex(State.open)

    init() {}

    /// Answers, unless there is an answer.
    func give(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .awaited(let waiter):
                state = .given(value)
                return waiter
            case .given: return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// Returns the answer as soon as there is one. To be called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .given(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
