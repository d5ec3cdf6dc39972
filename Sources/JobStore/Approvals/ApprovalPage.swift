/// One page of approvals.
package struct ApprovalPage: Sendable {
    /// The approvals.
    package var approvals: [ApprovalRecord]
    /// Whether there are more behind the last one.
    package var hasMore: Bool

    /// A page: the first `limit` of what was found.
    package init(_ found: [ApprovalRecord], limit: Int) {
        approvals = Array(found.prefix(limit))
        hasMore = found.count > limit
    }
}
