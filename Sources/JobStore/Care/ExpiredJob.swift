package import JobKit

/// The end of a job that did not start in time.
package struct ExpiredJob: Sendable {
    /// The new detail of the record.
    package var detail: [UInt8]
    package var journal: JournalEntry

    package init(detail: [UInt8], journal: JournalEntry) {
        self.detail = detail
        self.journal = journal
    }
}
