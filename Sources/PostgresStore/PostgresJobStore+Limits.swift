import JobKit
import JobStore

// Queues with limits are not kept here yet. No configuration of a queue is accepted, so that there is none whose limits
// could be missed.

extension PostgresJobStore {
    package func queues(
        now: Timestamp, reply: @escaping @Sendable (Result<[QueueStanding], JobStoreError>) -> Void
    ) { reply(.success([])) }

    package func busiestKeys(
        of queue: String, limit: Int, now: Timestamp,
        reply: @escaping @Sendable (Result<[QueueKeyStanding], JobStoreError>) -> Void
    ) { reply(.success([])) }

    package func queued(
        _ id: JobID, now: Timestamp, reply: @escaping @Sendable (Result<QueuedJob?, JobStoreError>) -> Void
    ) { reply(.success(nil)) }

    package func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {}
}

extension PostgresJobReader {
    func queues() throws(JobStoreError) -> [QueueStanding] { throw .notOffered("The list of queues") }
}
