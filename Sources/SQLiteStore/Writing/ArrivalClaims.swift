import JobKit
import JobStore

/// Claims of jobs that are made in the transaction that stores the job.
final class ArrivalClaims {
    /// The runner that takes such claims; nil without one.
    var arrivals: JobArrivals?
    /// The claims of the open transaction.
    private var claims: [Claim] = []

    /// Claims a new job when its runner has room.
    /// - Parameter isAlone: whether no other job is claimable at this time.
    func claim(_ job: inout StoredJob, isAlone: (Timestamp) -> Bool) -> Bool {
        guard let arrivals else { return false }
        return job.claim(for: arrivals, isAlone: isAlone)
    }

    /// Adds the claim of a job whose row is inserted.
    func add(_ job: StoredJob, _ new: NewJob) {
        var claim = Claim(record: job.record, spec: new.spec)
        claim.reading = new.reading
        claims.append(claim)
    }

    /// Takes back a claim whose row was refused.
    func giveBack() { arrivals?.room.giveBack(1) }

    /// Takes back the claims of a transaction that failed.
    func rollback() {
        arrivals?.room.giveBack(claims.count)
        claims = []
    }

    /// Hands over the claims of a transaction that is committed.
    func handOver() {
        guard !claims.isEmpty else { return }
        arrivals?.handOver(claims)
        claims = []
    }
}
