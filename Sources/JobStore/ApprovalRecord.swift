package import JobKit

/// One approval as it is stored. Both engines decide here and nowhere else what may become of it.
package struct ApprovalRecord: Sendable, Hashable {
    /// What is asked.
    package var request: ApprovalRequest
    /// The job that asks.
    package var job: JobID
    /// The operation that asks: the names from below the root.
    package var path: [String]
    /// When it was opened.
    package var openedAt: Timestamp
    /// What was written down last: `open` until something ends it, even when its time is over.
    package var written = ApprovalState.open
    /// When it was answered, expired or withdrawn.
    package var closedAt: Timestamp?
    /// Who answered; nil when nobody did.
    package var by: String?
    /// What they said.
    package var comment: String?

    /// An approval that is opened.
    package init(request: ApprovalRequest, job: JobID, path: [String], openedAt: Timestamp) {
        self.request = request
        self.job = job
        self.path = path
        self.openedAt = openedAt
    }

    /// Where it stands: time ends it even while nobody looks.
    package func state(at now: Timestamp) -> ApprovalState {
        guard written == .open, let expiresAt = request.expiresAt, expiresAt <= now else { return written }
        return request.question.onTimeout == .approve ? .approved : .expired
    }

    /// Takes a person's answer. Only the first one counts, only in time, and only for the request that was shown.
    mutating func decide(_ decision: ApprovalDecision) throws(JobStoreError) {
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
    mutating func close(as state: ApprovalState, at now: Timestamp) -> Bool {
        guard written == .open else { return false }
        written = state
        closedAt = now
        return true
    }
}

/// A person's answer to an approval.
package struct ApprovalDecision: Sendable {
    /// Which approval.
    package var id: ApprovalID
    /// Whether it may be done.
    package var isApproved: Bool
    /// Who says so.
    package var by: String
    /// What they say about it.
    package var comment: String?
    /// The digest of the request that they saw; nil is whatever it is.
    package var digest: String?
    /// When they said so.
    package var at: Timestamp

    /// An answer.
    package init(id: ApprovalID, isApproved: Bool, by: String, at: Timestamp) {
        self.id = id
        self.isApproved = isApproved
        self.by = by
        self.at = at
    }

    /// What the job is told.
    package var message: JobMessage {
        JobMessage(
            by: by,
            content: .approval(id: id.description, isApproved: isApproved, comment: comment))
    }

    /// The same as a post to the job.
    func post(to job: JobID) -> JobPost {
        JobPost(id: job, journal: JournalEntry(at: at, path: [], event: .message(message)))
    }
}

/// What became of an answer.
package struct ApprovalReceipt: Sendable {
    /// The approval after it.
    package var approval: ApprovalRecord
    /// What became of the message to the job.
    package var post: PostReceipt
}

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
    /// How many at most, 1…500.
    package var limit = 50
    /// The moment at which the states are looked at.
    package var now: Timestamp

    /// Everything.
    package init(now: Timestamp) { self.now = now }

    /// Whether every filter lets `approval` through.
    func shows(_ approval: ApprovalRecord) -> Bool {
        (states.isEmpty || states.contains(approval.state(at: now)))
            && (job.map { $0 == approval.job } ?? true)
            && (audience.map { $0 == approval.request.question.audience } ?? true)
            && (after.map { approval.request.id < $0 } ?? true)
    }
}

/// One page of approvals.
package struct ApprovalPage: Sendable {
    /// The approvals.
    package var approvals: [ApprovalRecord]
    /// Whether there are more behind the last one.
    package var hasMore: Bool

    /// A page: the first `limit` of what was found.
    init(_ found: [ApprovalRecord], limit: Int) {
        approvals = Array(found.prefix(limit))
        hasMore = found.count > limit
    }
}

extension JobStoreError {
    /// There is no such approval.
    static func notFound(_ id: ApprovalID) -> JobStoreError {
        JobStoreError(.notFound, "There is no approval \(id). It may have been erased with its job.")
    }

    /// An approval that cannot be answered any more.
    static func closedApproval(_ approval: ApprovalRecord, _ state: ApprovalState) -> JobStoreError {
        let when = (approval.closedAt ?? approval.request.expiresAt).map { " at \($0)" } ?? ""
        let who = approval.by.map { " by \($0)" } ?? ""
        return JobStoreError(
            .approvalClosed(state), "Approval \(approval.request.id) was \(state.rawValue)\(who)\(when).")
    }
}
