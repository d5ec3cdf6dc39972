package import JobKit

/// A stored approval. Its transitions are decided here, for all engines.
package struct ApprovalRecord: Sendable, Hashable {
    package var request: ApprovalRequest
    /// The job that asks.
    package var job: JobID
    /// The operation that asks: the names below the root.
    package var path: [String]
    package var openedAt: Timestamp
    /// The stored state: `open` until a write closes it, even after its expiry.
    package var written = ApprovalState.open
    /// The time of the decision, the expiry or the withdrawal.
    package var closedAt: Timestamp?
    /// The person who decided; nil without a decision.
    package var by: String?
    /// The comment of that person.
    package var comment: String?

    /// Creates an open approval.
    package init(request: ApprovalRequest, job: JobID, path: [String], openedAt: Timestamp) {
        self.request = request
        self.job = job
        self.path = path
        self.openedAt = openedAt
    }

    /// The state at a time, taking expiry into account.
    package func state(at now: Timestamp) -> ApprovalState {
        guard written == .open, let expiresAt = request.expiresAt, expiresAt <= now else { return written }
        return request.question.onTimeout == .continue ? .approved : .expired
    }

    /// Applies a person's decision. Only the first one counts, only before the expiry, and only for the request shown.
    package mutating func decide(_ decision: ApprovalDecision) throws(JobStoreError) {
        let state = state(at: decision.at)
        guard state == .open else { throw .closedApproval(self, state) }
        if let digest = decision.digest, digest != request.digest {
            throw JobStoreError(
                .digestMismatch,
                "The approval is for the request with the digest \(request.digest). Look at it, then decide.")
        }
        written = decision.isApproved ? .approved : .rejected
        closedAt = decision.at
        by = decision.by
        comment = decision.comment
    }

    /// Closes the approval without a decision. Returns false when it was closed already.
    package mutating func close(as state: ApprovalState, at now: Timestamp) -> Bool {
        guard written == .open else { return false }
        written = state
        closedAt = now
        return true
    }
}

extension JobStoreError {
    package static func noApproval(_ id: ApprovalID) -> JobStoreError {
        JobStoreError(
            .missing(.approval), "There is no approval \(id). It never existed, or was erased with its job.")
    }

    /// The error of a decision about a closed approval.
    package static func closedApproval(_ approval: ApprovalRecord, _ state: ApprovalState) -> JobStoreError {
        let when = (approval.closedAt ?? approval.request.expiresAt).map { " at \($0)" } ?? ""
        let who = Requester.text(approval.by)
        return JobStoreError(
            .approvalClosed(state), "Approval \(approval.request.id) was \(state.rawValue)\(who)\(when).")
    }
}
