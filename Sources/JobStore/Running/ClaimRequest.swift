package import JobKit

/// A runner's request for jobs.
package struct ClaimRequest: Sendable {
    /// The maximum number of jobs, 1…10,000.
    package let limit: Int
    /// The owner of the claims.
    package let owner: OwnerID
    /// The time of the request.
    package let now: Timestamp
    /// The lead time by which jobs may be claimed before their date; zero claims none.
    package var ahead: Duration = .zero
    /// The maximum number of jobs claimed before their date.
    package var aheadMax = 0
    /// The size of specs and journals, in bytes, at which a claim ends although others are runnable: they are read on
    /// the thread that writes, and begun on the loop of the engine, in one go. A single job may be larger.
    package var bytesMax = 1 << 20

    /// Whether to claim only jobs suspected of crashing the process: an eighth of them, at least one, oldest first.
    /// Those that their queues hold back are left; when these are all, the claim fails for the time being.
    package var takesSuspects = false
    /// The slots of the runner, of which each tenant may hold a share; nil has no limit.
    package var slots: RunSlots?

    /// Creates a request for due jobs.
    package init(limit: Int, owner: OwnerID, now: Timestamp) {
        self.limit = StoreRange.batch(limit)
        self.owner = owner
        self.now = now
    }

    /// The limits of what a claim takes.
    package var budget: JobBudget { JobBudget(jobs: limit, bytes: bytesMax) }

    /// Whether these claims are all that the request may have, so that others may be runnable.
    package func isFilled(by claims: [Claim]) -> Bool {
        var budget = budget
        for claim in claims { budget.take(claim.bytes) }
        return budget.isSpent
    }

    /// The slots that tenants hold at this moment.
    package var shares: TenantShares { slots?.shares ?? .unlimited }

    /// The latest date that a claimed job may have.
    package var horizon: Timestamp { aheadMax > 0 ? now.advanced(by: max(.zero, ahead)) : now }

    /// The date of a job that is claimed before it; nil for one that is due.
    package func dateAhead(of job: JobRecord) -> Timestamp? { job.dueAt.flatMap { $0 > now ? $0 : nil } }

    /// The number of jobs that may be claimed before their date when `due` are due.
    package func roomAhead(behind due: Int) -> Int { max(0, min(aheadMax, limit - due)) }
}

/// The right to run one job until the lease ends.
package struct ClaimKey: Sendable, Hashable {
    package var id: JobID
    /// The fence of the claim.
    package var fence: Int64

    package init(id: JobID, fence: Int64) {
        self.id = id
        self.fence = fence
    }
}

extension JobStoreError {
    /// The error of a run whose claim is over.
    package static func staleClaim(_ claim: ClaimKey) -> JobStoreError {
        JobStoreError(
            .staleClaim,
            "Claim \(claim.fence) of job \(claim.id) is over: it was claimed again, ended or erased.")
    }
}
