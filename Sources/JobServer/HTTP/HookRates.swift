import JobKit
import StrictJSON
import Synchronization

/// The rates at which the deliveries of hooks come to this server.
final class HookRates: Sendable {
    private let states = Mutex<[ByteKey: RateState]>([:])

    /// The time until one more delivery is taken; nil takes it.
    /// - Parameter hook: the stored name of a hook that exists, so that there are no more entries than hooks.
    func wait(of hook: String, _ rate: RateLimit, at now: Timestamp) -> Duration? {
        states.withLock { states in
            let key = ByteKey(hook)
            let state = states[key] ?? RateState()
            let opening = rate.opening(state, now: now)
            guard opening <= now else { return opening.since(now) }
            states[key] = rate.taking(state, now: now, ready: now)
            return nil
        }
    }
}
