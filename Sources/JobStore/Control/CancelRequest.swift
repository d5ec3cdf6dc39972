package import JobKit

/// A wish to stop a job.
package struct CancelRequest: Sendable {
    /// Which job.
    package var id: JobID
    /// When it was asked.
    package var at: Timestamp
    /// The detail of the record when it can be cancelled at once.
    package var detail: [UInt8]
    /// What to note in the journal, in any case but a final state.
    package var journal: JournalEntry
    /// How its operation ends when it can be cancelled at once.
    package var ending: OperationEnding

    /// A wish to stop a job.
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
