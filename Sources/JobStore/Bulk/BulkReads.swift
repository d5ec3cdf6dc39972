package import JobKit

/// Reads of bulk actions.
package protocol BulkReads: Sendable {
    /// A bulk action; nil when there is none.
    func bulk(_ id: BulkID) throws(JobStoreError) -> BulkRecord?

    /// Up to `limit` (1…10,000) bulk actions before `id` (nil for all), the newest first.
    func bulks(before id: BulkID?, limit: Int) throws(JobStoreError) -> [BulkRecord]

    /// Up to `limit` (1…10,000) bulk actions that are running, the oldest first.
    func runningBulks(limit: Int) throws(JobStoreError) -> [BulkRecord]

    /// Up to `limit` (1…10,000) results from a place on, in order.
    func results(of id: BulkID, from place: Int, limit: Int) throws(JobStoreError) -> [BulkResult]
}
