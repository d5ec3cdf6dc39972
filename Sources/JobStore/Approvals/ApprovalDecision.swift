package import JobKit

/// A person's answer to an approval.
package struct ApprovalDecision: Sendable {
    /// Which approval.
    package var id: ApprovalID
    /// Whether it may be done.
    package var isApproved: Bool
    /// The person who answers.
    package var by: String
    /// Their comment.
    package var comment: String?
    /// The digest of the request that they saw; nil accepts any.
    package var digest: String?
    /// The time of the answer.
    package var at: Timestamp

    /// An answer.
    package init(id: ApprovalID, isApproved: Bool, by: String, at: Timestamp) {
        self.id = id
        self.isApproved = isApproved
        self.by = by
        self.at = at
    }

    /// The message to the job.
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
