import JobKit
import JobStore

/// What runs do: take jobs, tell how they go, keep their leases.
extension WriterSession {
    func claim(_ request: ClaimRequest) throws(SQLiteFailure) -> Result<[Claim], JobStoreError> {
        if request.takesSuspects { return .success(try claimSuspects(request)) }
        var claims: [Claim] = []
        for var job in try candidates(request) {
            let before = job.record
            job.claim(for: request.owner, now: request.now)
            job.bindClaim(to: statements.saveClaim)
            try statements.saveClaim.run()
            remember(job)
            account(job, from: before)
            // The journal of a job that nothing has changed since it was stored is empty, unless it was sent something.
            var claim = try material(of: job, isNew: before.revision == 1 && job.mail == 0)
            claim.aheadOf = request.dateAhead(of: before)
            claim.hasEndedProcess = job.hasEndedProcess
            claims.append(claim)
        }
        return .success(claims)
    }

    private func claimSuspects(_ request: ClaimRequest) throws(SQLiteFailure) -> [Claim] {
        let suspects = try jobs(statements.suspects)
        let chosen = suspects.prefix(min(StoredJob.suspectsAtOnce(of: suspects.count), request.limit))
        var claims: [Claim] = []
        for var job in chosen {
            let before = job.record
            job.claim(for: request.owner, now: request.now)
            job.bindClaim(to: statements.saveClaim)
            try statements.saveClaim.run()
            if chosen.count == 1 { job.ties.insert(.alone) }
            try save(job, from: before)
            claims.append(try material(of: job, isNew: false))
        }
        return claims
    }

    private func candidates(_ request: ClaimRequest) throws(SQLiteFailure) -> [StoredJob] {
        statements.ready.bind(1, request.now)
        statements.ready.bind(2, Int64(request.limit))
        var found = try jobs(statements.ready)
        guard let first = tally.nothingDueBefore, first <= request.horizon else { return found }
        let due = try due(after: nil, until: request.now, limit: request.limit)
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
        let ahead = try self.due(
            after: request.now, until: request.horizon, limit: request.roomAhead(behind: found.count))
        if due.isEmpty && ahead.isEmpty { tally.nothingDueBefore = try firstDue() }
        return found + ahead
    }

    /// The jobs that fall due in a time, the highest priority first and then the first due.
    private func due(
        after start: Timestamp?, until end: Timestamp, limit: Int
    ) throws(SQLiteFailure) -> [StoredJob] {
        var due: [StoredJob] = []
        for priority in (Int64(0)...9).reversed() where due.count < limit {
            statements.due.bind(1, end)
            statements.due.bind(2, Int64(limit - due.count))
            statements.due.bind(3, priority)
            statements.due.bind(4, start ?? Timestamp(milliseconds: .min))
            due += try jobs(statements.due)
        }
        return due
    }

    /// The claim with what is needed to run the job; without a spec when that or the journal is damaged, so that one
    /// damaged job stops no other.
    private func material(of job: StoredJob, isNew: Bool) throws(SQLiteFailure) -> Claim {
        do throws(SQLiteFailure) {
            let journal = try journal(job, isNew: isNew)
            remember(journalEnd: journal.end, of: job.number)
            let spec = try spec(job.number)
            var claim = Claim(
                record: job.record, spec: spec.bytes, journal: journal.entries, journalEnd: journal.end)
            claim.mail = job.mail
            claim.reading = spec.reading
            return claim
        } catch {
            guard error.isDamagedValue else { throw error }
            return Claim(record: job.record, spec: [])
        }
    }

    private func spec(_ number: Int64) throws(SQLiteFailure) -> FreshSpec {
        if let spec = freshSpecs.take(number) { return spec }
        statements.specByNumber.bind(1, number)
        defer { statements.specByNumber.reset() }
        return FreshSpec(bytes: try statements.specByNumber.step() ? statements.specByNumber.bytes(0) : [])
    }

    func update(_ update: RunUpdate) throws(SQLiteFailure) -> Result<Int64, JobStoreError> {
        guard var job = try job(update.claim.id), job.isHeld(fence: update.claim.fence) else {
            return .failure(.staleClaim(update.claim))
        }
        let before = job.record
        let ties = job.ties
        job.noteProgress(in: update)
        var standing = update.standing
        if let asked = standing {
            if try hasNews(for: asked.wakeKeys) { standing = StoredJob.lookingAgain(asked) }
            do throws(JobStoreError) {
                try job.apply(standing ?? asked, latest: update.journal.last?.at)
            } catch {
                return .failure(error)
            }
        }
        // Before the job is written back: what is remembered of its journal goes with its claim.
        try append(update.journal, to: job.number)
        if !update.taken.isEmpty || !update.freed.isEmpty {
            try note(taken: update.taken, freed: update.freed, of: &job)
        }
        try noteApprovals(in: update.journal, of: &job)
        try noteArtifacts(in: update, of: &job)
        if let summary = update.summary { try put(summary, of: &job) }
        if let standing {
            if !standing.wakeKeys.isEmpty || job.ties.contains(.wake) {
                try keep(standing.wakeKeys, of: &job)
            }
            try save(job, from: before)
            if let result = standing.result { try put(result, for: job.number) }
        } else {
            let hasNews = job.noteAttempt(in: update.journal)
            if hasNews || job.ties != ties { try save(job, from: before) }
        }
        return .success(job.record.revision)
    }

    private func put(_ result: OperationResult, for number: Int64) throws(SQLiteFailure) {
        let statement = statements.putResult
        statement.bind(1, number)
        statement.bind(2, result.status.map { Int64($0) })
        statement.bind(3, result.contentType)
        statement.bind(4, PairCoding.encode(result.headers.lazy.map { ($0.name, $0.value) }))
        statement.bind(6, result.artifact?.encoded)
        statement.bind(7, result.contentCoding)
        try statement.run(with: result.body, at: 5)
    }
}
