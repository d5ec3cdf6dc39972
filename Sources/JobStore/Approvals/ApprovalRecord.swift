package import JobKit

/// One approval as it is stored. Both engines decide here and nowhere else what may become of it.
package struct ApprovalRecord: Sendable, Hashable {
    /// The request.
    package var request: ApprovalRequest
    /// The job that asks.
    package var job: JobID
    /// The operation that asks: the names from below the root.
    package var path: [String]
    /// When it was opened.
    package var openedAt: Timestamp
    /// The stored state: `open` until something ends it, even when its time is over.
    package var written = ApprovalState.open
    /// When it was answered, expired or withdrawn.
    package var closedAt: Timestamp?
    /// The person who answered; nil without an answer.
    package var by: String?
    /// Their comment.
    package var comment: String?

    /// An approval that is opened.
    package init(request: ApprovalRequest, job: JobID, path: [String], openedAt: Timestamp) {
        self.request = request
        self.job = job
        self.path = path
        self.openedAt = openedAt
    }

    /// The state at a time: it expires by itself.
    package func state(at now: Timestamp) -> ApprovalState {
        guard written == .open, let expiresAt = request.expiresAt, expiresAt <= now else { return written }
        return request.question.onTimeout == .approve ? .approved : .expired
    }

    /// Takes a person's answer. Only the first one counts, only in time, and only for the request that was shown.
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

    /// Ends it without an answer; false when it had ended.
    package mutating func close(as state: ApprovalState, at now: Timestamp) -> Bool {
        guard written == .open else { return false }
        written = state
        closedAt = now
        return true
    }
}

extension JobStoreError {
    /// There is no such approval.
    package static func notFound(_ id: ApprovalID) -> JobStoreError {
        JobStoreError(.notFound, "There is no approval \(id). It may have been erased with its job.")
    }

    /// An approval that cannot be answered any more.
    package static func closedApproval(_ approval: ApprovalRecord, _ state: ApprovalState) -> JobStoreError {
        let when = (approval.closedAt ?? approval.request.expiresAt).map { " at \($0)" } ?? ""
        let who = approval.by.map { " by \($0)" } ?? ""
        return JobStoreError(
            .approvalClosed(state), "Approval \(approval.request.id) was \(state.rawValue)\(who)\(when).")
    }
}
