internal import JobKit
internal import JobStore
internal import Synchronization

/// Wakes the jobs that wait for a grant that was decided or removed. The decision wakes the first of them itself; the
/// others follow in small parts, so that other writes never wait long. A server that is killed meanwhile continues
/// after its start, or another server does.
final class GrantWaker: Sendable {
    private let store: any JobStore
    private let clock: any OperationClock
    private let state = Mutex(State())
    /// The time between two looks for jobs that a killed server left asleep.
    private static let lookEvery = Duration.seconds(60)

    private struct State {
        var isWaking = false
        /// Whether jobs may have to be woken that the current look has not seen.
        var isDue = true
        var nextLook = Duration.zero
    }

    init(store: any JobStore, clock: any OperationClock) {
        self.store = store
        self.clock = clock
    }

    /// Wakes all jobs that need it. On any thread.
    func wake() {
        let begins = state.withLock { state in
            state.isDue = true
            state.nextLook = clock.uptime + Self.lookEvery
            defer { state.isWaking = true }
            return !state.isWaking
        }
        if begins { wakePart() }
    }

    /// Looks again after a failure.
    func maintain() {
        if state.withLock({ !$0.isWaking && $0.isDue }) { wake() }
    }

    /// Looks now and then for jobs that another server, which was killed, has left asleep.
    func lookAtOthers() {
        if state.withLock({ !$0.isWaking && clock.uptime >= $0.nextLook }) { wake() }
    }

    private func wakePart() {
        state.withLock { $0.isDue = false }
        store.perform(SettledWake(limit: WakeReceipt.part, at: clock.now)) { [self] result in
            let goesOn = state.withLock { state in
                switch result {
                case .success(let receipt):
                    state.isWaking = receipt.isMore || state.isDue
                    return state.isWaking
                case .failure:
                    (state.isWaking, state.isDue) = (false, true)
                    return false
                }
            }
            if goesOn { wakePart() }
        }
    }
}
