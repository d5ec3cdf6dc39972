package import JobKit

/// Reads of the journals of jobs.
package protocol JournalReads: Sendable {
    /// Up to `limit` (1…10,000) journal entries with a sequence number above `after` (0 for all), in order, to the one
    /// that reaches `bytes` of their stored form.
    func journal(_ id: JobID, after: Int64, limit: Int, bytes: Int) throws(JobStoreError) -> [NumberedEntry]

    /// The journal entries with these ascending sequence numbers; missing ones are omitted.
    func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry]

    /// The index of the job's journal: `known`, extended by the entries added since.
    func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex
}

extension JournalReads {
    /// Entries of any size.
    package func journal(_ id: JobID, after: Int64, limit: Int) throws(JobStoreError) -> [NumberedEntry] {
        try journal(id, after: after, limit: limit, bytes: .max)
    }
}

/// A journal entry with its number in the job's journal, from 1. Those of entries that were removed are missing.
package struct NumberedEntry: Sendable {
    package var sequence: Int64
    package var entry: JournalEntry

    package init(sequence: Int64, entry: JournalEntry) {
        self.sequence = sequence
        self.entry = entry
    }
}
