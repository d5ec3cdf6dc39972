package import JobKit

/// A request of a runner for jobs.
package struct ClaimRequest: Sendable {
    /// The number of jobs at most, 1…10,000.
    package let limit: Int
    /// The owner of the claims.
    package let owner: OwnerID
    /// The time of the request.
    package let now: Timestamp
    /// Jobs whose date comes within this time may be taken before it; zero takes none.
    package var ahead: Duration = .zero
    /// The number of jobs that may be taken before their date.
    package var aheadMax = 0

    /// Takes some of the jobs that are suspected of having ended the process, and none of the others: an eighth of
    /// them, at least one, the oldest first.
    package var takesSuspects = false

    /// A request for what is due.
    package init(limit: Int, owner: OwnerID, now: Timestamp) {
        self.limit = StoreRange.batch(limit)
        self.owner = owner
        self.now = now
    }

    /// The last date that a job may have.
    package var horizon: Timestamp { aheadMax > 0 ? now.advanced(by: max(.zero, ahead)) : now }

    /// The date of a job that is taken before it; nil for one that is due.
    package func dateAhead(of job: JobRecord) -> Timestamp? { job.dueAt.flatMap { $0 > now ? $0 : nil } }

    /// The number of jobs that may be taken before their date when `due` are due.
    package func roomAhead(behind due: Int) -> Int { max(0, min(aheadMax, limit - due)) }
}
