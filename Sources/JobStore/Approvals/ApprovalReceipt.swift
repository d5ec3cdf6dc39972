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
