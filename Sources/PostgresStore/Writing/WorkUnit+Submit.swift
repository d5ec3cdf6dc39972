import JobKit
import JobStore
import StrictJSON

extension WorkUnit {
    /// Stores a job that was not refused.
    func insert(_ new: NewJob) throws(PostgresFailure) -> Result<SubmitOutcome, JobStoreError> {
        guard !touched.has(new.record.id) else { return .failure(.duplicateID(new.record.id)) }
        var job = StoredJob(new, number: numbers.next(at: new.record.createdAt))
        if let unique = new.unique {
            try uniques.enter(&job, unique.key) { numbers.next(after: $0) }
        }
        let created = job.record
        if job.readyAt != nil { try prepareArrivals() }
        job.isInLine = lines.hold(job)
        var isClaimed = false
        if !job.isInLine {
            isClaimed = try arrived.claim(&job) { now throws(PostgresFailure) in
                let tenant = created.tenant
                if lines.mayOpen(of: tenant, at: now) { return false }
                return try TurnDispatch(unit: self).isAlone(tenant, at: now)
            }
        }
        add(job, new)
        if isClaimed {
            arrived.add(job, new)
            touched.hold(created.id)
        }
        if let claim = new.idempotency { keys.give(claim, to: created.id) }
        try tables.uploads.keep(new.uploads, for: job)
        if let unique = new.unique, unique.onConflict == .replace, job.flags.contains(.turn),
            let outcome = try replace(by: created.id, unique)
        {
            return .success(outcome)
        }
        return .success(.created(created))
    }

    func has(_ id: JobID) -> Bool { touched.has(id) }

    func keep(_ claim: IdempotencyClaim, for holder: JobID) { keys.give(claim, to: holder) }

    func lineRefusal(of jobs: [NewJob]) throws(PostgresFailure) -> JobStoreError? {
        try lines.refusal(of: jobs)
    }

    /// The outcome of a request whose key was used before; nil when its key is free, or it has none.
    func outcome(known new: NewJob) throws(PostgresFailure) -> SubmitOutcome? {
        guard let claim = new.idempotency, let row = keys.row(of: claim.key, at: new.record.createdAt)
        else { return nil }
        guard row.fingerprint == claim.fingerprint else { return .keyReused(row.id) }
        return try touched.job(row.id).map { .replayed($0.record) } ?? .replayedGone(row.id)
    }
}
