import Synchronization

/// A value that is given once, before or after the wait for it begins. Later values are dropped.
final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    func fire(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: value)
    }

    /// The value, once: by one waiter.
    func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state in
                if state.value == nil { state.continuation = continuation }
                return state.value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
