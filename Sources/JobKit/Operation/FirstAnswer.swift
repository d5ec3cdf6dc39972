internal import Synchronization

/// A value that is given once and waited for by one task. The first answer counts; later ones are discarded.
final class FirstAnswer<Value: Sendable>: Sendable {
    private enum Standing {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let standing = Mutex(Standing.open)

    init() {}

    /// Answers, unless somebody did before.
    func give(_ value: Value) {
        let waiter = standing.withLock { standing -> CheckedContinuation<Value, Never>? in
            switch standing {
            case .open:
                standing = .given(value)
                return nil
            case .awaited(let waiter):
                standing = .given(value)
                return waiter
            case .given: return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// Returns the answer as soon as there is one. To be called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = standing.withLock { standing -> Value? in
                if case .given(let value) = standing { return value }
                standing = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
