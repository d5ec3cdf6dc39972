package import JobKit

/// The claims of jobs made in the transaction that stores them, or that ends the job before them in their queue.
package final class ArrivalClaims {
    /// The runner that takes such claims; nil without one.
    package var arrivals: JobArrivals?
    /// The claims of the open transaction.
    private var claims: [Claim] = []
    /// The owners of the claims that were handed over before their jobs are durable. When a transaction fails, its jobs
    /// may be stored by another, and their runs go on.
    private var early: [JobID: OwnerID] = [:]

    package init() {}

    /// Claims a new job when its runner has a free slot.
    /// - Parameter isAlone: whether no other job of its tenant is claimable at this time.
    package func claim<Failure: Error>(
        _ job: inout StoredJob, isAlone: (Timestamp) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        if !early.isEmpty, let owner = early[job.record.id] {
            job.claim(for: owner, now: max(arrivals?.now() ?? job.record.createdAt, job.record.createdAt))
            return true
        }
        guard let arrivals else { return false }
        return try job.claim(for: arrivals, isAlone: isAlone)
    }

    /// Adds the claim of a job whose row is inserted.
    package func add(_ job: StoredJob, _ new: NewJob) {
        if early[job.record.id] != nil { return }
        var claim = Claim(record: job.record, spec: new.spec)
        claim.reading = new.reading
        claims.append(claim)
    }

    /// Adds a claim of a job that was stored before.
    package func add(_ claim: Claim) { claims.append(claim) }

    /// Returns the slot of a claim whose row was refused. The run of one that was handed over early returns it itself.
    package func giveBack(_ job: StoredJob) {
        if early[job.record.id] != nil { return }
        arrivals?.room.giveBack(of: job.record.tenant)
    }

    /// Drops the claims of a failed transaction.
    package func rollback() {
        for claim in claims { arrivals?.room.giveBack(of: claim.record.tenant) }
        claims = []
    }

    /// Hands over the claims of the open transaction, whose jobs may all run first.
    package func handOverEarly() {
        guard let arrivals else { return }
        for claim in claims { early[claim.record.id] = arrivals.owner }
        handOver()
    }

    /// Forgets the early claims, all of whose submissions are answered.
    package func forgetEarly() {
        if !early.isEmpty { early = [:] }
    }

    /// Hands over the claims of a committed transaction.
    package func handOver() {
        guard !claims.isEmpty else { return }
        arrivals?.handOver(claims)
        claims = []
    }
}
