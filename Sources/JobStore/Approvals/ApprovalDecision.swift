package import JobKit

/// A person's decision about an approval.
package struct ApprovalDecision: Sendable {
    package var id: ApprovalID
    package var isApproved: Bool
    /// The person who decides.
    package var by: String
    package var comment: String?
    /// The digest of the request that was shown to the person; nil accepts any.
    package var digest: String?
    /// The time of the decision.
    package var at: Timestamp

    package init(id: ApprovalID, isApproved: Bool, by: String, at: Timestamp) {
        self.id = id
        self.isApproved = isApproved
        self.by = by
        self.at = at
    }

    /// The decision as a message to the job.
    package var message: JobMessage {
        JobMessage(
            by: by,
            content: .approval(id: id.description, isApproved: isApproved, comment: comment))
    }

    /// The decision as a post to the job.
    package func post(to job: JobID) -> JobPost {
        JobPost(id: job, journal: JournalEntry(at: at, path: [], event: .message(message)))
    }
}

/// The effect of a decision.
package struct ApprovalReceipt: Sendable {
    /// The approval after the decision.
    package var approval: ApprovalRecord
    package var post: PostReceipt

    package init(approval: ApprovalRecord, post: PostReceipt) {
        self.approval = approval
        self.post = post
    }
}
