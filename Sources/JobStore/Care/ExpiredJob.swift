package import JobKit

/// The end of a job that was not started in time.
package struct ExpiredJob: Sendable {
    /// The record's new detail.
    package var detail: [UInt8]
    /// The journal entry.
    package var journal: JournalEntry

    /// An expired job.
    package init(detail: [UInt8], journal: JournalEntry) {
        self.detail = detail
        self.journal = journal
    }
}
