import JobKit
import JobStore

extension WriterSession {
    func claim(_ request: ClaimRequest) throws(SQLiteFailure) -> Result<[Claim], JobStoreError> {
        if request.takesSuspects { return try dispatch.claimSuspects(request) }
        var shares = request.shares
        let candidates = try candidates(request, shares)
        var claims: [Claim] = []
        if !lines.isIdle {
            claims = try dispatch.claim(request, candidates, &shares)
        } else {
            var budget = request.budget
            for job in candidates where !budget.isSpent && shares.take(job.record.tenant) {
                turns.note(job.record)
                let claim = try claim(job, request)
                budget.take(claim.bytes)
                claims.append(claim)
            }
        }
        request.slots?.notePassedOver(after: shares)
        return .success(claims)
    }

    func claim(_ job: StoredJob, _ request: ClaimRequest) throws(SQLiteFailure) -> Claim {
        var job = job
        let before = job.record
        let wasInLine = job.isInLine
        job.claim(for: request.owner, now: request.now)
        job.isInLine = false
        try jobs.save(claimed: job, fromLine: wasInLine)
        if wasInLine { try lines.leave(job) }
        remember(job)
        account(job, from: before)
        // The journal of a job that has not changed since it was stored is empty, unless it has posts.
        var claim = try material(of: job, isNew: before.revision == 1 && job.posts == 0)
        claim.aheadOf = request.dateAhead(of: before)
        claim.hasEndedProcess = job.hasEndedProcess
        return claim
    }

    var dispatch: LineDispatch { LineDispatch(session: self) }

    private func candidates(
        _ request: ClaimRequest, _ shares: TenantShares
    ) throws(SQLiteFailure) -> [StoredJob] {
        let mayBeDue = tally.nothingDueBefore.map { $0 <= request.horizon } ?? false
        let due = mayBeDue ? try dispatch.due(until: request.now, request.limit) : []
        let found = try TurnDispatch(session: self).next(request, due: due, shares)
        guard mayBeDue else { return found }
        var ahead = try jobs.due(
            after: request.now, until: request.horizon, limit: request.roomAhead(behind: found.count))
        if due.isEmpty && ahead.isEmpty { tally.nothingDueBefore = try jobs.firstDueAt() }
        if !lines.isIdle { ahead.removeAll { lines.gate.governs($0.record.queue) } }
        return found + ahead
    }

    /// The claim with everything needed to run the job; without a spec when that or the journal is damaged, so that one
    /// damaged job stops no other.
    func material(of job: StoredJob, isNew: Bool) throws(SQLiteFailure) -> Claim {
        do throws(SQLiteFailure) {
            let journal = try journals.read(job, isNew: isNew)
            journals.remember(end: journal.end, of: job.number)
            let fresh = specs.fresh.take(job.number)
            let spec = if let fresh { fresh.bytes } else { try specs.bytes(of: job.number) }
            var claim = Claim(
                record: job.record, spec: spec, journal: journal.entries, journalEnd: journal.end)
            claim.bytes += journal.bytes
            claim.posts = job.lastPost
            claim.reading = fresh?.reading
            return claim
        } catch {
            guard error.isDamagedValue else { throw error }
            return Claim(record: job.record, spec: [])
        }
    }
}
