package import JobKit

/// A cancellation request.
package struct CancelRequest: Sendable {
    /// The job.
    package var id: JobID
    /// The time of the request.
    package var at: Timestamp
    /// The detail of the record when it can be cancelled at once.
    package var detail: [UInt8]
    /// The journal entry, added unless the job is final.
    package var journal: JournalEntry
    /// The end of its operation when it can be cancelled at once.
    package var ending: OperationEnding

    /// A cancellation request.
    package init(
        id: JobID, at: Timestamp, detail: [UInt8], journal: JournalEntry,
        ending: OperationEnding = OperationEnding(state: .cancelled)
    ) {
        self.id = id
        self.at = at
        self.detail = detail
        self.journal = journal
        self.ending = ending
    }
}
