package import JobKit

package protocol ApprovalReads: Sendable {
    /// The approval, or nil.
    func approval(_ id: ApprovalID) throws(JobStoreError) -> ApprovalRecord?

    func approvals(_ query: ApprovalQuery) throws(JobStoreError) -> ApprovalPage
}

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

/// A query for a page of approvals, newest first.
package struct ApprovalQuery: Sendable, Hashable {
    /// Matches approvals of jobs of this tenant.
    package var tenant: Tenant?
    /// Matches any of these states; empty matches all.
    package var states: Set<ApprovalState> = []
    /// Matches approvals of this job.
    package var job: JobID?
    /// Matches approvals for this audience.
    package var audience: String?
    /// Begins after this id.
    package var after: ApprovalID?
    /// The page size, 1…500.
    package var limit = 50
    /// The time for which states are computed.
    package var now: Timestamp

    /// Creates a query without filters.
    package init(now: Timestamp) { self.now = now }

    /// Whether `approval` passes every filter but that of the tenant.
    package func shows(_ approval: ApprovalRecord) -> Bool {
        (states.isEmpty || states.contains(approval.state(at: now)))
            && (job.map { $0 == approval.job } ?? true)
            && (audience.map { $0 == approval.request.question.audience } ?? true)
            && (after.map { approval.request.id < $0 } ?? true)
    }
}
