package import JobKit

/// The request to cancel a job, with the records to store in each case.
package struct CancelRequest: Sendable {
    package var id: JobID
    /// The time of the request.
    package var at: Timestamp
    /// The journal entry, added unless the job is final.
    package var journal: JournalEntry
    /// The ending of a job that is cancelled at once.
    package var ending: OperationEnding

    package init(
        id: JobID, at: Timestamp, journal: JournalEntry,
        ending: OperationEnding = OperationEnding(state: .cancelled)
    ) {
        self.id = id
        self.at = at
        self.journal = journal
        self.ending = ending
    }
}

extension RunRequest {
    /// The stop of a run whose job is being cancelled.
    package init(_ request: CancelRequest) { self.init(id: request.id, journal: request.journal) }
}

/// The effect of a cancellation request.
package enum CancelOutcome: Sendable {
    /// The job was not in flight and is now `cancelled`.
    case cancelled(JobRecord)
    /// The job is in flight and is now `cancelling`.
    case cancelling(JobRecord)
    /// The job had already ended.
    case alreadyFinal(JobRecord)
}
