/// One page of a list of approvals.
package struct ApprovalPage: Sendable {
    package var approvals: [ApprovalRecord]
    /// Whether there are more after the last one.
    package var hasMore: Bool

    /// Creates a page of the first `limit` of the approvals found.
    package init(_ found: [ApprovalRecord], limit: Int) {
        approvals = Array(found.prefix(limit))
        hasMore = found.count > limit
    }
}
