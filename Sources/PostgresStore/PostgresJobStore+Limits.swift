import JobKit
import JobStore

// Queues with limits and bulk actions are not kept here yet. None is accepted, so that there is none whose limits or
// jobs could be missed.

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

    package func create(
        _ bulk: BulkRecord, of ids: [JobID],
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) { reply(.failure(.notOffered("Bulk actions"))) }

    package func advance(
        _ step: BulkStep, reply: @escaping @Sendable (Result<BulkReceipt, JobStoreError>) -> Void
    ) { reply(.failure(.noBulk(step.id))) }

    package func stopBulk(
        _ id: BulkID, by: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) { reply(.failure(.noBulk(id))) }

    /// Changes by people are not recorded.
    package func auditing(_ draft: AuditDraft) -> any JobStore { self }

    package func add(
        _ record: AuditRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) { reply(.success(())) }

    package func removeAudits(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) { reply(.success(0)) }

    package func removeBulks(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) { reply(.success(0)) }
}

extension PostgresJobReader {
    func queues() throws(JobStoreError) -> [QueueStanding] { throw .notOffered("The list of queues") }
    func audits(before number: Int64?, limit: Int) throws(JobStoreError) -> [AuditRecord] {
        throw .notOffered("Records of changes")
    }
    func bulk(_ id: BulkID) throws(JobStoreError) -> BulkRecord? { nil }
    func bulks(before id: BulkID?, limit: Int) throws(JobStoreError) -> [BulkRecord] { [] }
    func runningBulks(limit: Int) throws(JobStoreError) -> [BulkRecord] { [] }
    func results(of id: BulkID, from place: Int, limit: Int) throws(JobStoreError) -> [BulkResult] { [] }
}
