/// The effect of an answer.
package struct ApprovalReceipt: Sendable {
    /// The approval after it.
    package var approval: ApprovalRecord
    /// The receipt of the message to the job.
    package var post: PostReceipt

    /// A receipt.
    package init(approval: ApprovalRecord, post: PostReceipt) {
        self.approval = approval
        self.post = post
    }
}
