package import JobKit

/// Reads of the journals of jobs.
package protocol JournalReads: Sendable {
    /// Up to `limit` (1…10,000) journal entries with a sequence number above `after` (0 for all), in order.
    func journal(_ id: JobID, after: Int64, limit: Int) throws(JobStoreError) -> [NumberedEntry]

    /// The journal entries with these sequence numbers, which are in order; missing ones are left out.
    func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry]

    /// An index of the job's journal: `known`, with what was added since.
    func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex
}
