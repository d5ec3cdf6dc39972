internal import JobKit
internal import JobStore
internal import Synchronization

/// Counts ends in the statistics, from time to time and in slices, and removes what was kept long enough.
final class StatsKeeper: Sendable {
    private struct State {
        var (isCounting, isRemoving) = (false, false)
        var nextCount = Timestamp(milliseconds: 0)
        var nextRemoval = Timestamp(milliseconds: 0)
    }

    private let store: any JobStore
    private let state = Mutex(State())
    private static let countEvery = Duration.seconds(2)
    private static let removeEvery = Duration.seconds(60)
    /// The ends that one write counts, and the bins that one removes.
    private static let (endsMax, binsMax) = (2_000, 500)

    init(of store: any JobStore) { self.store = store }

    @Sendable func maintain(_ now: Timestamp) {
        let due = state.withLock { state -> (counts: Bool, removes: Bool) in
            let counts = !state.isCounting && state.nextCount <= now
            if counts { (state.isCounting, state.nextCount) = (true, now.advanced(by: Self.countEvery)) }
            let removes = !state.isRemoving && state.nextRemoval <= now
            if removes { (state.isRemoving, state.nextRemoval) = (true, now.advanced(by: Self.removeEvery)) }
            return (counts, removes)
        }
        if due.counts { count(at: now) }
        if due.removes { remove(at: now) }
    }

    /// Counts the next ends, one slice after the other as long as there are more.
    private func count(at now: Timestamp) {
        store.perform(StatsRollUp(now: now, limit: Self.endsMax)) { [weak self] result in
            guard let self else { return }
            if case .success(let reply) = result, reply.isMore { return count(at: now) }
            state.withLock { $0.isCounting = false }
        }
    }

    /// Removes the oldest bins, one slice after the other as long as there are more.
    private func remove(at now: Timestamp) {
        store.perform(RowSweep(.stats, before: now, limit: Self.binsMax)) { [weak self] result in
            guard let self else { return }
            if case .success(let count) = result, count >= Self.binsMax { return remove(at: now) }
            state.withLock { $0.isRemoving = false }
        }
    }
}
