package import JobKit

/// Which approvals a page shows, newest first.
package struct ApprovalQuery: Sendable, Hashable {
    /// One of these states; empty is any.
    package var states: Set<ApprovalState> = []
    /// Of this job.
    package var job: JobID?
    /// For this audience.
    package var audience: String?
    /// Continue behind this id.
    package var after: ApprovalID?
    /// The length of the page, 1…500.
    package var limit = 50
    /// The moment at which the states are looked at.
    package var now: Timestamp

    /// Everything.
    package init(now: Timestamp) { self.now = now }

    /// Whether every filter lets `approval` through.
    package func shows(_ approval: ApprovalRecord) -> Bool {
        (states.isEmpty || states.contains(approval.state(at: now)))
            && (job.map { $0 == approval.job } ?? true)
            && (audience.map { $0 == approval.request.question.audience } ?? true)
            && (after.map { approval.request.id < $0 } ?? true)
    }
}
