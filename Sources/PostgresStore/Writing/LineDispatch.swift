import JobKit
import JobStore

/// Claims jobs as the limits of their queues let them.
struct LineDispatch {
    let unit: WorkUnit

    /// The maximum number of times that one claim reads excerpts of lines.
    private static let roundsMax = 50
    /// The number of suspects that one claim considers.
    private static let suspectsMax = 1_000

    private var lines: QueueLines { unit.lines }

    /// Claims jobs from the lines and among all others, by priority and in turns.
    func claim(
        _ request: ClaimRequest, _ others: [StoredJob], _ shares: inout TenantShares
    ) throws(PostgresFailure) -> [WorkUnit.Claimed] {
        var claimed: [WorkUnit.Claimed] = []
        let sizes = try unit.claimSizes(of: others, isWhole: false, request)
        var (budget, rest) = (request.budget, others[...])
        for _ in 0..<Self.roundsMax {
            let names = lines.takeAwake(at: request.now, passing: shares.passing)
            let priorities = try unit.tables.queues.priorities(of: names)
            for name in names where priorities[name] == nil { lines.noteEmpty(name) }
            var round = try LineRound(unit, Array(priorities.keys), now: request.now)
            try round.read(priorities, request, most: budget.jobs)
            let taken = try take(from: &round, &rest, request, &shares, sizes, budget)
            for job in taken { budget.take(job.bytes) }
            claimed += taken
            try round.finish()
            round.settle()
            guard round.needsMore, !budget.isSpent else { break }
            try unit.touched.flush()
        }
        return claimed
    }

    private func take(
        from round: inout LineRound, _ others: inout ArraySlice<StoredJob>, _ request: ClaimRequest,
        _ shares: inout TenantShares, _ sizes: ClaimSizes, _ budget: JobBudget
    ) throws(PostgresFailure) -> [WorkUnit.Claimed] {
        var chosen: [(id: JobID, isInLine: Bool)] = []
        var budget = budget
        while !budget.isSpent {
            while let next = others.first, shares.isFull(next.record.tenant) { others.removeFirst() }
            let other = others.first
            let isDue = other.map { request.dateAhead(of: $0.record) == nil } ?? false
            let turn = round.next(
                other: isDue ? other?.record.priority : nil, of: other?.record.tenant, &shares)
            if case .line(let id) = turn {
                chosen.append((id, true))
                budget.take(round.sizes[id])
            } else if !round.needsMore, let other = others.popFirst() {
                // One that is not due yet comes after all others.
                chosen.append((other.record.id, false))
                budget.take(sizes[other.record.id])
                _ = shares.take(other.record.tenant)
                unit.tenants.turns.note(other.record)
            } else {
                break
            }
        }
        try unit.touched.load(chosen.map(\.id))
        var claimed: [WorkUnit.Claimed] = []
        for (id, isInLine) in chosen {
            guard let job = try unit.touched.job(id), job.owner == nil, job.isInLine == isInLine else {
                continue
            }
            let bytes = isInLine ? round.sizes[id] : sizes[id]
            claimed.append(try unit.take(job, bytes, request))
        }
        return claimed
    }

    /// Claims what may begin since jobs entered lines, or since one of their queue ended, for a runner with free slots.
    func claimNext() throws(PostgresFailure) {
        if lines.isIdle || lines.touched.isEmpty || unit.arrived.arrivals == nil { return }
        try unit.prepareArrivals()
        guard let arrivals = unit.arrived.arrivals else { return }
        let now = arrivals.now()
        guard unit.isAlone(at: now) else { return }
        let room = arrivals.room.take(min(lines.touchedCount, JobArrivals.linedMax))
        if room == 0 { return }
        var used = 0
        defer { arrivals.room.giveBack(room - used) }
        var shares = arrivals.room.shares
        let request = ClaimRequest(limit: room, owner: arrivals.owner, now: now)
        let claims = try unit.material(of: try claim(request, [], &shares))
        if room > claims.count, request.isFilled(by: claims) { unit.asksAgain = now }
        for claim in claims {
            arrivals.room.note(claim)
            unit.arrived.add(claim)
            used += 1
        }
    }

    /// Claims jobs that are suspected of a crash, as far as their queues let them.
    func claimSuspects(
        _ request: ClaimRequest
    ) throws(PostgresFailure) -> Result<[Claim], JobStoreError> {
        let all = try unit.tables.dispatch.suspects()
        let most = min(StoredJob.suspectsAtOnce(of: all.count), request.limit)
        let first = Array(all.prefix(lines.isIdle ? most : Self.suspectsMax))
        try unit.touched.load(first)
        var suspects: [StoredJob] = []
        for id in first {
            if let job = try unit.touched.job(id), job.isSuspect { suspects.append(job) }
        }
        let sizes = try unit.claimSizes(of: suspects, isWhole: true, request)
        if !lines.isIdle, !suspects.isEmpty {
            let queues = Set(suspects.map { $0.record.queue }).filter(lines.knows)
            var round = try LineRound(unit, Array(queues), now: request.now)
            suspects = try round.admissible(suspects, limit: most) {
                request.budget.first(of: $0) { sizes[$0.record.id] }
            }
            try round.finish()
            if suspects.isEmpty { return .failure(.suspectsHeld) }
        } else {
            suspects = request.budget.first(of: suspects) { sizes[$0.record.id] }
        }
        var claimed: [WorkUnit.Claimed] = []
        for job in suspects {
            var job = job
            if suspects.count == 1 { job.flags.insert(.alone) }
            claimed.append(try unit.take(job, sizes[job.record.id], request))
        }
        return .success(try unit.material(of: claimed))
    }
}
