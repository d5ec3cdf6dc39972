import JobKit
import JobStore

// Queues with limits and schedules are not kept here yet. No configuration of a queue and no schedule is accepted, so
// that there is none whose limits or times could be missed.

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

    package func store(
        _ change: ScheduleChange, reply: @escaping @Sendable (Result<ScheduleReceipt, JobStoreError>) -> Void
    ) { reply(.failure(.notOffered("Schedules"))) }

    package func removeSchedule(
        _ name: String, revision: Int64, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) { reply(.failure(.noSchedule(name))) }

    package func removeOccurrences(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) { reply(.success(0)) }
}

extension PostgresJobReader {
    func queues() throws(JobStoreError) -> [QueueStanding] { throw .notOffered("The list of queues") }
    func schedule(_ name: String) throws(JobStoreError) -> ScheduleRecord? { nil }
    func schedules(after: String, limit: Int) throws(JobStoreError) -> [ScheduleRecord] { [] }
    func schedulesToWake(limit: Int) throws(JobStoreError) -> [ScheduleRecord] { [] }
    func occurrences(of name: String, _ query: OccurrenceQuery) throws(JobStoreError) -> [Occurrence] { [] }
}
