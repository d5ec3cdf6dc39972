import JobKit
import JobSpec
import JobStore

/// The lines of queues with a configuration.
extension MemoryLedger {
    mutating func configure(_ queue: String, _ spec: QueueSpec?) {
        let running = entries.values.map(\.job).filter { $0.owner != nil }.map { ($0.number, $0.line) }
        gate.configure(queue, spec, running: running.map { (number: $0.0, line: $0.1) })
    }

    func refusal(ofLines jobs: [NewJob]) -> JobStoreError? {
        var counts: [String: Int] = [:]
        for job in jobs where job.record.state == .queued {
            let count = counts[job.record.queue, default: 0] + 1
            counts[job.record.queue] = count
            if let spec = gate.spec(ofFull: job.record.queue, adding: count) {
                return .lineFull(job.record.queue, spec)
            }
        }
        return nil
    }

    /// Follows a job from one state to the next.
    mutating func keepLine(from before: StoredJob?, to job: StoredJob) {
        let (old, new) = (before.flatMap { $0.isInLine ? $0.place : nil }, job.isInLine ? job.place : nil)
        if old != new {
            if let old {
                queueLines[job.line]?.remove(.init(time: old.time, number: old.number, id: job.record.id))
                let next = queueLines[job.line]?.first.map { QueuePlace(time: $0.time, number: $0.number) }
                gate.leave(job.line, next: next)
            }
            if let new {
                queueLines[job.line, default: ClaimOrder()].insert(
                    .init(time: new.time, number: new.number, id: job.record.id))
                gate.enter(job.line, new)
            }
        }
        if gate.isIdle { return }
        if job.owner != nil { gate.begin(job.number, job.line) } else { gate.end(job.number) }
    }

    /// Moves jobs that belong in lines there: those of queues that were configured later, and those that fell due. Jobs
    /// of tenants become ready then.
    mutating func lineUp(at now: Timestamp) {
        let fallen = due.values.flatMap { $0.places.prefix { $0.time <= now } }
        let waiting = gate.isIdle ? [] : ready.values.flatMap(\.places)
        for id in (waiting + fallen).sorted().map(\.id) {
            guard var job = entries[id]?.job, !job.isLapsed(at: now) else { continue }
            let takesTurns = job.record.dueAt != nil && job.record.tenant != nil
            guard takesTurns || gate.governs(job.record.queue) else { continue }
            if job.isDueForLine { job.fallDue() } else { job.record.revision += 1 }
            if job.isForLine { put(job) }
        }
    }

    /// Claims jobs from the lines and among all others, by priority and in turns.
    mutating func claimInTurns(
        _ request: ClaimRequest, _ others: [JobID], _ shares: inout TenantShares
    ) -> [Claim] {
        var (claims, budget): ([Claim], JobBudget) = ([], request.budget)
        func take(_ claim: Claim) {
            budget.take(claim.bytes)
            claims.append(claim)
        }
        var rest = others.filter { !shares.isFull(entries[$0]?.job.record.tenant) }[...]
        while !budget.isSpent {
            while let id = rest.first, shares.isFull(entries[id]?.job.record.tenant) { rest.removeFirst() }
            let other = rest.first.flatMap { entries[$0]?.job.record }
            let isDue = other.map { request.dateAhead(of: $0) == nil } ?? false
            let turn = gate.turn(
                now: request.now, other: isDue ? other?.priority : nil, of: other?.tenant,
                passing: shares.passing)
            switch turn {
            case .line(let choice):
                guard let id = queueLines[choice.line]?.first?.id, var job = entries[id]?.job else {
                    return claims
                }
                if job.isLapsed(at: request.now) {
                    job.giveUpPlace()
                    put(job)
                    continue
                }
                gate.noteTurn(of: choice.line.queue)
                gate.takeRate(choice.line, now: request.now, ready: choice.place.time)
                if let claim = claim(id, request) { take(claim) }
                _ = shares.take(job.record.tenant)
            case .other, nil:
                guard let id = rest.popFirst(), let record = entries[id]?.job.record else { return claims }
                gate.noteTurn(of: nil, tenant: record.tenant)
                turns.note(record)
                _ = shares.take(record.tenant)
                if let claim = claim(id, request) { take(claim) }
            }
        }
        return claims
    }

    /// Claims what may begin since a job of its queue ended, for a runner with free slots.
    mutating func claimNext() {
        guard gate.waiting > 0, let arrivals, leases.holds(arrivals.owner) else { return }
        let request = ClaimRequest(limit: 1, owner: arrivals.owner, now: arrivals.now())
        guard candidates(limit: 1, now: request.now).isEmpty else { return }
        var budget = JobBudget(jobs: JobArrivals.linedMax, bytes: request.bytesMax)
        while !budget.isSpent {
            var shares = arrivals.room.shares
            guard gate.next(now: request.now, passing: shares.passing) != nil, arrivals.room.take(1) == 1
            else { return }
            let claims = claimInTurns(request, [], &shares)
            arrivals.room.settle(1, for: claims)
            for claim in claims { budget.take(claim.bytes) }
            arrived += claims
        }
    }

    /// The queues that have jobs, with those that wait in no line.
    func queues() -> [QueueStanding] {
        var found: [String: QueueStanding] = [:]
        for job in entries.values.map(\.job) {
            var standing = found[job.record.queue] ?? QueueStanding(job.record.queue)
            if job.owner != nil { standing.running += 1 }
            if let readyAt = job.readyAt, !job.isInLine {
                standing.waiting += 1
                standing.oldest = min(standing.oldest ?? readyAt, readyAt)
            }
            found[job.record.queue] = standing
        }
        return found.values.sorted { $0.name < $1.name }
    }
}

extension MemoryLedger: QueueView {
    func gate(of queue: String?, now: Timestamp) -> QueueGate { gate }

    func standing(of id: JobID, now: Timestamp) -> QueuedJob? {
        guard let job = entries[id]?.job, job.isInLine, let place = job.place else { return nil }
        return gate.standing(of: job.line, place, now: now) { line in
            (queueLines[line]?.places ?? []).count {
                QueuePlace(time: $0.time, number: $0.number) < place
            }
        }
    }
}
