package import JobKit

/// A request to a job in flight that another server stored, for the run of that job.
package struct RunRequest: Sendable {
    package var id: JobID
    /// The stored request: a message, or a request to cancel.
    package var journal: JournalEntry
    /// For a message: the number of the post, see `PostReceipt`. For a request to cancel: the fence of the claim whose
    /// run it stops; 0 stops any run.
    package var number: Int64

    package init(id: JobID, journal: JournalEntry, number: Int64 = 0) {
        self.id = id
        self.journal = journal
        self.number = number
    }
}
