import JobKit
import JobStore

extension WorkUnit {
    /// A claimed job, what it was before, and the size of its spec and journal.
    typealias Claimed = (job: StoredJob, before: JobRecord, bytes: Int)

    func claim(_ request: ClaimRequest) throws(PostgresFailure) -> Result<[Claim], JobStoreError> {
        let turns = TurnDispatch(unit: self)
        var version: Int64?
        var shares = request.shares
        var names: [String] = []
        var found: DispatchTable.Claimable?
        if lines.isIdle, !request.takesSuspects {
            // With the lease in one round trip.
            try leases.holdLater(request.owner) { version = $0 }
            try touched.flush()
            names = try turns.upcoming(request, shares)
            found = try tables.dispatch.claimable(request, of: names, since: starts)
        } else {
            version = try leases.hold(request.owner)
        }
        guard let version else { return .failure(.leaseLost(request.owner)) }
        try lines.refresh(to: version)
        try touched.flush()
        let dispatch = LineDispatch(unit: self)
        if request.takesSuspects { return try dispatch.claimSuspects(request) }
        var claimed: [Claimed] = []
        if let found, lines.isIdle, !found.due.contains(where: { TurnDispatch.takesTurns($0.job) }) {
            let ready = try turns.ready(of: names, request, shares, found: unclaimed(found.ready))
            let candidates = turns.ordered(ready, unclaimed(found.due), unclaimed(found.ahead), request)
            claimed = try take(candidates, request, &shares)
        } else {
            let candidates = try turns.candidates(request, shares)
            try touched.flush()
            claimed =
                lines.isIdle
                ? try take(candidates, request, &shares) : try dispatch.claim(request, candidates, &shares)
        }
        request.slots?.notePassedOver(after: shares)
        var claims = try material(of: claimed)
        if !request.isFilled(by: claims) { try turns.noteOthers(request, shares) }
        for place in claims.indices {
            claims[place].aheadOf = request.dateAhead(of: claimed[place].before)
            claims[place].hasEndedProcess = claimed[place].job.hasEndedProcess
        }
        return .success(claims)
    }

    /// Claims jobs in no line, as far as their tenants have room.
    private func take(
        _ jobs: [StoredJob], _ request: ClaimRequest, _ shares: inout TenantShares
    ) throws(PostgresFailure) -> [Claimed] {
        let sizes = try claimSizes(of: jobs, isWhole: true, request)
        var (claimed, budget): ([Claimed], JobBudget) = ([], request.budget)
        for job in jobs where !budget.isSpent && shares.take(job.record.tenant) {
            tenants.turns.note(job.record)
            let bytes = sizes[job.record.id]
            budget.take(bytes)
            claimed.append(try take(job, bytes, request))
        }
        return claimed
    }

    /// The sizes of jobs that were loaded.
    /// - Parameter isWhole: whether the claim takes no others.
    func claimSizes(
        of jobs: [StoredJob], isWhole: Bool, _ request: ClaimRequest
    ) throws(PostgresFailure) -> ClaimSizes {
        var sizes = ClaimSizes()
        try sizes.add(
            jobs.map { $0.record.id }, isWhole: isWhole, request, tables.journals, touched.claimSize)
        return sizes
    }

    /// Claims one job of this size.
    func take(
        _ job: StoredJob, _ bytes: Int, _ request: ClaimRequest
    ) throws(PostgresFailure) -> Claimed {
        var job = job
        let before = job.record
        job.claim(for: request.owner, now: request.now)
        try save(job, from: before)
        touched.hold(job.record.id)
        job.isInLine = false
        return (job, before, bytes)
    }

    func unclaimed(_ rows: [JobRow]) -> [StoredJob] {
        touched.add(found: rows).filter { $0.owner == nil }
    }

    /// The claims with everything needed to run the jobs; without a spec when the journal of one is damaged, so that
    /// one damaged job stops no other.
    func material(of all: [Claimed]) throws(PostgresFailure) -> [Claim] {
        let claimed = all.map(\.job)
        let specs = try touched.specs(of: claimed.map { $0.record.id })
        let holds = try tables.keyLines.holds(
            of: claimed.filter { $0.flags.contains(.hold) }.map { $0.record.id })
        let journals = try touched.journals(of: claimed)
        return all.map { (job, _, bytes) in
            let id = job.record.id
            guard let journal = try? journals.entries(of: id) else {
                var claim = Claim(record: job.record, spec: [])
                claim.bytes = bytes
                return claim
            }
            let new = touched.submission(of: id)
            var claim = Claim(
                record: job.record, spec: specs[id] ?? [], journal: journal,
                journalEnd: touched.journalEnd(of: id))
            claim.bytes = bytes
            claim.posts = job.lastPost
            claim.holds = holds[id] ?? []
            claim.reading = new?.reading
            return claim
        }
    }
}
