package import JobKit

/// A person's answer to an approval.
package struct ApprovalDecision: Sendable {
    /// Which approval.
    package var id: ApprovalID
    /// Whether it may be done.
    package var isApproved: Bool
    /// Who says so.
    package var by: String
    /// What they say about it.
    package var comment: String?
    /// The digest of the request that they saw; nil is whatever it is.
    package var digest: String?
    /// When they said so.
    package var at: Timestamp

    /// An answer.
    package init(id: ApprovalID, isApproved: Bool, by: String, at: Timestamp) {
        self.id = id
        self.isApproved = isApproved
        self.by = by
        self.at = at
    }

    /// What the job is told.
    package var message: JobMessage {
        JobMessage(
            by: by,
            content: .approval(id: id.description, isApproved: isApproved, comment: comment))
    }

    /// The same as a post to the job.
    package func post(to job: JobID) -> JobPost {
        JobPost(id: job, journal: JournalEntry(at: at, path: [], event: .message(message)))
    }
}
