import JobKit
import JobStore

/// Queues with their limits.
extension PostgresJobStore {
    func queues(
        now: Timestamp, reply: @escaping @Sendable (Result<[QueueStanding], JobStoreError>) -> Void
    ) {
        look(reply) { session throws(PostgresFailure) in
            try session.gate(of: nil, now: now).standings(now: now)
        }
    }

    func busiestKeys(
        of queue: String, limit: Int, now: Timestamp,
        reply: @escaping @Sendable (Result<[QueueKeyStanding], JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        look(reply) { session throws(PostgresFailure) in
            try session.gate(of: queue, now: now).busiestKeys(of: queue, limit, now: now)
        }
    }

    func queued(
        _ id: JobID, now: Timestamp, reply: @escaping @Sendable (Result<QueuedJob?, JobStoreError>) -> Void
    ) {
        look(reply) { session throws(PostgresFailure) in try session.standing(of: id, now: now) }
    }

    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {
        board.observeOpenings(observer)
    }
}
