import JobKit
import JobStore

/// Claims jobs as the limits of their queues let them.
struct LineDispatch {
    let session: WriterSession

    private var lines: QueueLines { session.lines }

    /// Jobs that `find` finds, without those that belong in lines, which are moved there.
    func others(
        _ limit: Int, belongs: (StoredJob) -> Bool, find: () throws(SQLiteFailure) -> [StoredJob]
    ) throws(SQLiteFailure) -> [StoredJob] {
        if lines.isIdle { return try find() }
        return try session.movingIntoLines(limit, governs: lines.gate.governs, belongs: belongs, find: find)
    }

    /// Jobs that fell due, without those that belong in lines. Jobs of tenants become ready, so that they take turns
    /// with the others of theirs, and those beyond a share are not found again by each claim.
    func due(until now: Timestamp, _ limit: Int) throws(SQLiteFailure) -> [StoredJob] {
        try session.movingIntoLines(
            limit, governs: { lines.gate.governs($0) || Tenant.isOwner(of: $0) }, belongs: \.isDueForLine
        ) { () throws(SQLiteFailure) in
            try session.jobs.due(after: nil, until: now, limit: limit)
        }
    }

    /// Claims jobs from the lines and among all others, by priority and in turns.
    func claim(
        _ request: ClaimRequest, _ others: [StoredJob], _ shares: inout TenantShares
    ) throws(SQLiteFailure) -> [Claim] {
        var claims: [Claim] = []
        var budget = request.budget
        var rest = others[...]
        while !budget.isSpent {
            while let next = rest.first, shares.isFull(next.record.tenant) { rest.removeFirst() }
            let other = rest.first
            let isDue = other.map { request.dateAhead(of: $0.record) == nil } ?? false
            let turn = lines.gate.turn(
                now: request.now, other: isDue ? other?.record.priority : nil, of: other?.record.tenant,
                passing: shares.passing)
            switch turn {
            case .line(let choice):
                guard let claim = try claim(choice, request) else { continue }
                _ = shares.take(claim.record.tenant)
                budget.take(claim.bytes)
                claims.append(claim)
            case .other, nil:
                guard let other = rest.popFirst() else { return claims }
                lines.gate.noteTurn(of: nil, tenant: other.record.tenant)
                session.turns.note(other.record)
                _ = shares.take(other.record.tenant)
                let claim = try session.claim(other, request)
                budget.take(claim.bytes)
                claims.append(claim)
            }
        }
        return claims
    }

    /// Claims what may begin since a job of its queue ended, for a runner with free slots.
    func claimNext() throws(SQLiteFailure) {
        guard lines.waiting > 0, let arrivals = session.arrived.arrivals,
            session.tally[.queued] == lines.waiting
        else { return }
        let request = ClaimRequest(
            limit: JobArrivals.linedMax, owner: arrivals.owner, now: arrivals.now())
        guard session.tally.nothingDueBefore.map({ $0 > request.now }) ?? true else { return }
        var budget = request.budget
        // The runner is told of those that are left, as of others that may begin.
        while !budget.isSpent,
            let choice = lines.gate.next(now: request.now, passing: arrivals.room.shares.passing)
        {
            let tenant = Tenant(ofStored: choice.line.queue)
            guard arrivals.room.takeOne(for: tenant) else { break }
            if let claim = try claim(choice, request) {
                budget.take(claim.bytes)
                session.arrived.add(claim)
            } else {
                arrivals.room.giveBack(of: tenant)
            }
        }
    }

    /// Claims jobs that are suspected of a crash, as far as their queues let them.
    func claimSuspects(
        _ request: ClaimRequest
    ) throws(SQLiteFailure) -> Result<[Claim], JobStoreError> {
        let all = try session.suspects.all()
        let most = min(StoredJob.suspectsAtOnce(of: all.count), request.limit)
        let chosen = lines.gate.admissible(all, limit: most, now: request.now)
        if chosen.isEmpty, !all.isEmpty { return .failure(.suspectsHeld) }
        var (claims, budget): ([Claim], JobBudget) = ([], request.budget)
        for job in chosen where !budget.isSpent {
            claims.append(try session.material(of: job, isNew: false))
            budget.take(claims[claims.count - 1].bytes)
        }
        for (place, var job) in chosen.prefix(claims.count).enumerated() {
            let before = job.record
            lines.gate.takeRate(job.line, now: request.now, ready: request.now)
            job.claim(for: request.owner, now: request.now)
            try session.jobs.save(claimed: job)
            try session.suspects.remove(job)
            if claims.count == 1 { job.flags.insert(.alone) }
            try session.save(job, from: before)
            claims[place].record = job.record
        }
        return .success(claims)
    }

    /// Claims the first job of a line; nil when it did not start in time.
    private func claim(_ choice: QueueGate.Choice, _ request: ClaimRequest) throws(SQLiteFailure) -> Claim? {
        guard var job = try session.job(number: choice.place.number), job.isInLine else {
            throw .damaged("the line of queue \(choice.line.queue) begins with a job that is not in it")
        }
        if job.isLapsed(at: request.now) {
            job.giveUpPlace()
            try session.save(job, from: job.record)
            return nil
        }
        lines.gate.noteTurn(of: choice.line.queue)
        lines.gate.takeRate(choice.line, now: request.now, ready: choice.place.time)
        return try session.claim(job, request)
    }
}
