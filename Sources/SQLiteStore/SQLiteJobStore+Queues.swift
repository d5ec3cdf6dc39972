import JobKit
import JobStore

/// Queues with their limits.
extension SQLiteJobStore {
    func queues(
        now: Timestamp, reply: @escaping @Sendable (Result<[QueueStanding], JobStoreError>) -> Void
    ) {
        write(reply) { session throws(SQLiteFailure) in .success(session.lines.gate.standings(now: now)) }
    }

    func busiestKeys(
        of queue: String, limit: Int, now: Timestamp,
        reply: @escaping @Sendable (Result<[QueueKeyStanding], JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        write(reply) { session throws(SQLiteFailure) in
            .success(session.lines.gate.busiestKeys(of: queue, limit, now: now))
        }
    }

    func queued(
        _ id: JobID, now: Timestamp, reply: @escaping @Sendable (Result<QueuedJob?, JobStoreError>) -> Void
    ) {
        write(reply) { session throws(SQLiteFailure) in
            .success(try session.lines.standing(of: try session.job(id), now: now))
        }
    }

    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {
        board.openingObserver = observer
    }
}
