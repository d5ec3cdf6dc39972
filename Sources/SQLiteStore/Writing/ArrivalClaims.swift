import JobKit
import JobStore

/// The claims of jobs made in the transaction that stores them.
final class ArrivalClaims {
    /// The runner that takes such claims; nil without one.
    var arrivals: JobArrivals?
    /// The claims of the open transaction.
    private var claims: [Claim] = []

    /// Claims a new job when its runner has a free slot.
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

    /// Returns the slot of a claim whose row was refused.
    func giveBack() { arrivals?.room.giveBack(1) }

    /// Drops the claims of a failed transaction.
    func rollback() {
        arrivals?.room.giveBack(claims.count)
        claims = []
    }

    /// Hands over the claims of a committed transaction.
    func handOver() {
        guard !claims.isEmpty else { return }
        arrivals?.handOver(claims)
        claims = []
    }
}
