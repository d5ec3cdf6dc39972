package import JobKit

/// Keeps bulk actions with their ids and results.
package protocol BulkStore: Sendable {
    /// Stores a bulk action with the distinct ids of its jobs.
    /// - Throws (in the reply): `.bulksFull` while `StoreLimits.bulksMax` are running.
    func create(
        _ bulk: BulkRecord, of ids: [JobID],
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void)

    /// Settles the next ids: decides about each job and changes it as the single action would, and stores the results
    /// and the counts, in one transaction. So each id has one result, and no job is changed twice.
    /// - Throws (in the reply): `.noBulk`; `.bulkMoved` when it is over, or another number of ids is settled.
    func advance(_ step: BulkStep, reply: @escaping @Sendable (Result<BulkReceipt, JobStoreError>) -> Void)

    /// Stops a bulk action; one that is over stays as it is.
    /// - Throws (in the reply): `.noBulk`.
    func stopBulk(
        _ id: BulkID, by: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void)

    /// Removes bulk actions that were over before `time`, at most `limit` (1…10,000) rows. The reply is the number of
    /// removed rows.
    func removeBulks(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)
}
