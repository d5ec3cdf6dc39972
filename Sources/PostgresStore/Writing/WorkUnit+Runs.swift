import JobKit
import JobStore

/// Claims and the updates of runs.
extension WorkUnit {
    /// A claimed job, and what it was before.
    typealias Claimed = (job: StoredJob, before: JobRecord)

    func claim(_ request: ClaimRequest) throws(PostgresFailure) -> Result<[Claim], JobStoreError> {
        guard let version = try leases.hold(request.owner) else { return .failure(.leaseLost(request.owner)) }
        try lines.refresh(to: version)
        try touched.flush()
        let dispatch = LineDispatch(unit: self)
        if request.takesSuspects { return try dispatch.claimSuspects(request) }
        var claimed: [Claimed] = []
        let candidates = try candidates(request)
        if lines.isIdle {
            for job in candidates { claimed.append(try take(job, request)) }
        } else {
            try touched.flush()
            claimed = try dispatch.claim(request, candidates)
        }
        var claims = try material(of: claimed.map(\.job))
        for place in claims.indices {
            claims[place].aheadOf = request.dateAhead(of: claimed[place].before)
            claims[place].hasEndedProcess = claimed[place].job.hasEndedProcess
        }
        return .success(claims)
    }

    /// Claims one job.
    func take(_ job: StoredJob, _ request: ClaimRequest) throws(PostgresFailure) -> Claimed {
        var job = job
        let before = job.record
        job.claim(for: request.owner, now: request.now)
        try save(job, from: before)
        touched.hold(job.record.id)
        job.isInLine = false
        return (job, before)
    }

    private func candidates(_ request: ClaimRequest) throws(PostgresFailure) -> [StoredJob] {
        var found = try others(request.limit, belongs: \.isForLine) { () throws(PostgresFailure) in
            try stored(
                try tables.dispatch.ready(at: request.now, since: starts[.ready], limit: request.limit))
        }
        let firsts = try tables.dispatch.firstDues(since: starts[.due]).filter { $0.at <= request.horizon }
        if firsts.isEmpty { return found }
        let due = try others(request.limit, belongs: \.isDueForLine) { () throws(PostgresFailure) in
            try stored(
                try tables.dispatch.due(firsts, since: starts[.due], until: request.now, limit: request.limit)
            )
        }
        if !due.isEmpty {
            found += due
            found.sort { left, right in
                if left.record.priority != right.record.priority {
                    return left.record.priority > right.record.priority
                }
                guard let first = left.claimableAt, let second = right.claimableAt else { return false }
                return (first, left.number) < (second, right.number)
            }
            found = Array(found.prefix(request.limit))
        }
        let room = request.roomAhead(behind: found.count)
        guard room > 0 else { return found }
        let ahead = try stored(
            try tables.dispatch.due(
                firsts, since: request.now.advanced(by: .milliseconds(1)), until: request.horizon, limit: room
            ))
        return found + ahead.filter { !lines.governs($0.record.queue) }
    }

    /// Jobs that `find` finds, without those that belong in lines, which are moved there.
    private func others(
        _ limit: Int, belongs: (StoredJob) -> Bool, find: () throws(PostgresFailure) -> [StoredJob]
    ) throws(PostgresFailure) -> [StoredJob] {
        if lines.isIdle { return try find() }
        return try movingIntoLines(limit, governs: lines.governs, belongs: belongs) {
            () throws(PostgresFailure) in
            try touched.flush()
            return try find()
        } askAgain: {
            // Its queue stays awake, so that the runner asks again.
            lines.wake($0.record.queue)
        }
    }

    /// The jobs with these ids, in their order.
    private func stored(_ ids: [JobID]) throws(PostgresFailure) -> [StoredJob] {
        try touched.load(ids)
        var found: [StoredJob] = []
        for id in ids {
            if let job = try touched.job(id), job.owner == nil { found.append(job) }
        }
        return found
    }

    /// The claims with everything needed to run the jobs; without a spec when the journal of one is damaged, so that
    /// one damaged job stops no other.
    func material(of claimed: [StoredJob]) throws(PostgresFailure) -> [Claim] {
        let stored = claimed.map(\.record.id).filter { touched.submission(of: $0) == nil }
        let specs = try tables.jobs.specs(of: stored)
        let holds = try tables.keyLines.holds(
            of: claimed.filter { $0.flags.contains(.hold) }.map(\.record.id))
        var claims: [Claim] = []
        for job in claimed {
            let id = job.record.id
            let new = touched.submission(of: id)
            do throws(PostgresFailure) {
                var claim = Claim(
                    record: job.record, spec: new?.spec ?? specs[id] ?? [],
                    journal: try touched.journal(of: job),
                    journalEnd: touched.journalEnd(of: id))
                claim.posts = job.posts
                claim.holds = holds[id] ?? []
                claim.reading = new?.reading
                claims.append(claim)
            } catch {
                guard error.isDamage else { throw error }
                claims.append(Claim(record: job.record, spec: []))
            }
        }
        return claims
    }

    func update(_ update: RunUpdate) throws(PostgresFailure) -> Result<Int64, JobStoreError> {
        let id = update.claim.id
        guard var job = try touched.job(id), job.isHeld(fence: update.claim.fence) else {
            return .failure(.staleClaim(update.claim))
        }
        let before = job.record
        let flags = job.flags
        job.noteProgress(in: update)
        var standing = update.standing
        if let asked = standing {
            if try tables.grants.hasNews(for: asked.wakeKeys) { standing = StoredJob.lookingAgain(asked) }
            do throws(JobStoreError) {
                try job.apply(standing ?? asked, latest: update.journal.last?.at)
            } catch {
                return .failure(error)
            }
        }
        touched.append(update.journal, to: id)
        if !update.taken.isEmpty || !update.freed.isEmpty {
            try tables.holds.note(taken: update.taken, freed: update.freed, of: &job)
        }
        try tables.approvals.note(in: update.journal, of: &job)
        try tables.artifacts.note(in: update, of: &job)
        if let summary = update.summary { try tables.journals.put(summary, of: &job) }
        if let standing {
            if !standing.wakeKeys.isEmpty || job.flags.contains(.wake) {
                try tables.wakes.put(standing.wakeKeys, of: &job)
            }
            try save(job, from: before)
            if let result = standing.result { touched.put(result, of: id) }
        } else {
            let hasNews = job.noteAttempt(in: update.journal)
            if hasNews || job.flags != flags { try save(job, from: before) } else { noteEntries(of: job) }
        }
        if !update.freed.isEmpty {
            try KeyWrites(unit: self).passOn(update.freed, at: update.journal.last?.at ?? SystemClock().now)
        }
        return .success(job.record.revision)
    }
}
