import JobKit
import JobStore
import StrictJSON

extension WriterSession {
    /// Stores a job that was not refused.
    func insert(_ new: NewJob) throws(SQLiteFailure) -> Result<SubmitOutcome, JobStoreError> {
        var job = StoredJob(new, number: tally.nextNumber)
        if let unique = new.unique { try uniques.enter(&job, unique.key) }
        let created = job.record
        let line = job.line
        let isClaimed = try arrived.claim(&job) { now throws(SQLiteFailure) in
            let tenant = created.tenant
            guard lines.admit(line, of: tenant, now: now) else { return false }
            return try isAlone(tenant, at: now)
        }
        job.isInLine = lines.hold(job)
        let runsFirst = isClaimed && mayGatherRows && new.mayRunFirst && lines.isIdle
        do throws(SQLiteFailure) {
            if runsFirst {
                firstRuns.add(job, new.metadataPlace, changePlace: changes.count)
            } else {
                try jobs.insert(job, metadataPlace: new.metadataPlace, gathers: gathersRows)
            }
        } catch {
            if isClaimed { arrived.giveBack(job) }
            if error.isConstraint && !gathersRows {
                if new.unique != nil { try uniques.remove(of: job.number) }
                return .failure(.duplicateID(new.record.id))
            }
            throw error
        }
        if job.isInLine { lines.enter(job) }
        if isClaimed {
            if !lines.isIdle { lines.noteArrival(job) }
            remember(job)
            journals.remember(end: 0, of: job.number)
            arrived.add(job, new)
        }
        try specs.add(new.spec, of: job.number, gathers: gathersRows)
        if !new.record.labels.isEmpty { try jobs.addLabels(of: job.record) }
        if let claim = new.idempotency { try keys.add(claim, for: job.number) }
        try uploads.keep(new.uploads, for: job)
        if job.readyAt != nil {
            specs.fresh.remember(FreshSpec(bytes: new.spec, reading: new.reading), of: job.number)
        }
        tally.nextNumber += 1
        tally.add(job.record.state, 1, of: job.number)
        tally.noteDue(job.record.dueAt)
        changes.append(job.change)
        if let unique = new.unique, unique.onConflict == .replace, job.flags.contains(.turn),
            let outcome = try replace(by: created.id, unique)
        {
            return .success(outcome)
        }
        return .success(.created(created))
    }

    /// Inserts the rows of new jobs as they are now.
    func insertFirstRuns() throws(SQLiteFailure) {
        let runs = firstRuns.takeAll()
        for run in runs {
            try jobs.insert(
                run.job, metadataPlace: run.metadataPlace, gathers: mayGatherRows && runs.count > 1)
            guard run.job.record.endCode != nil else { continue }
            try jobs.insertRows()
            try jobs.save(endOf: run.job.record, of: run.job.number)
        }
        try jobs.insertRows()
    }

    /// Whether no job in no line is claimable that comes before a new one of a tenant.
    private func isAlone(_ tenant: Tenant?, at now: Timestamp) throws(SQLiteFailure) -> Bool {
        if let due = tally.nothingDueBefore, due <= now { return false }
        if tally[.queued] == lines.waiting { return true }
        guard let tenant else { return false }
        try insertRows()
        return try !jobs.hasReady(of: tenant.prefix)
    }

    func has(_ id: JobID) throws(SQLiteFailure) -> Bool { try job(id) != nil }

    func lineRefusal(of jobs: [NewJob]) -> JobStoreError? { lines.refusal(of: jobs) }

    func lineRefusal(of job: NewJob) -> JobStoreError? { lines.refusal(of: job) }

    func keep(_ claim: IdempotencyClaim, for holder: JobID) throws(SQLiteFailure) {
        try keys.add(claim, naming: holder)
    }

    var unfinished: Int { tally.unfinished }

    /// The outcome of a request whose key was used before; nil when its key is free, or it has none.
    func outcome(known new: NewJob) throws(SQLiteFailure) -> SubmitOutcome? {
        guard let claim = new.idempotency, let known = try keys.row(of: claim.key),
            known.expiresAt > new.record.createdAt
        else { return nil }
        if let named = known.named {
            guard known.fingerprint.starts(with: claim.fingerprint) else { return .keyReused(named) }
            return try job(named).map { .replayed($0.record) } ?? .replayedGone(named)
        }
        guard let job = try job(number: known.number) else { return nil }
        return known.fingerprint == claim.fingerprint ? .replayed(job.record) : .keyReused(job.record.id)
    }
}
