import JobKit
import JobStore

extension WriterSession {
    func submit(_ new: NewJob) throws(SQLiteFailure) -> Result<SubmitOutcome, JobStoreError> {
        if let claim = new.idempotency, let known = try known(claim, at: new.record.createdAt) {
            return .success(known)
        }
        guard tally.unfinished < limits.unfinishedJobsMax else {
            return .failure(.queueFull(limits.unfinishedJobsMax))
        }
        if let unique = new.unique, let refusal = try refusal(of: unique) {
            if let claim = new.idempotency, case .success(.joined(let holder)) = refusal {
                try add(claim, for: Self.noNumber)
                try keep(claim.key, naming: holder.id, insteadOf: Self.noNumber)
            }
            return refusal
        }
        return try insert(new)
    }

    /// Stores a job that was not refused.
    func insert(_ new: NewJob) throws(SQLiteFailure) -> Result<SubmitOutcome, JobStoreError> {
        var job = StoredJob(new, number: tally.nextNumber)
        if let unique = new.unique { try enter(&job, unique) }
        let created = job.record
        let isClaimed = claimOnArrival(&job)
        do throws(SQLiteFailure) {
            try insertRow(of: job, metadataPlace: new.metadataPlace)
        } catch {
            if isClaimed { arrivals?.room.giveBack(1) }
            if error.isConstraint && !gathersRows {
                if new.unique != nil { try forgetUniqueKey(of: job.number) }
                return .failure(.duplicateID(new.record.id))
            }
            throw error
        }
        if isClaimed { noteArrival(job, new) }
        try insertSpec(new.spec, of: job.number)
        if !new.record.labels.isEmpty { try addLabels(of: job.record) }
        if let claim = new.idempotency { try add(claim, for: job.number) }
        if job.readyAt != nil {
            freshSpecs.remember(FreshSpec(bytes: new.spec, reading: new.reading), of: job.number)
        }
        tally.nextNumber += 1
        tally.add(job.record.state, 1)
        tally.noteDue(job.record.dueAt)
        note(job)
        if let unique = new.unique, unique.onConflict == .replace, job.ties.contains(.turn),
            let outcome = try replace(before: job.number, unique)
        {
            return .success(outcome)
        }
        return .success(.created(created))
    }

    // MARK: Rows

    private func insertRow(of job: StoredJob, metadataPlace place: Range<Int>?) throws(SQLiteFailure) {
        let rows = statements.jobRows
        try rows.add { job.bindAll(to: $0, after: $1, metadataPlace: place) }
        if rows.isFull || !gathersRows { try rows.run() }
    }

    /// Inserts a spec; one of usual length with others, and a long one where it lies, without a copy.
    private func insertSpec(_ spec: [UInt8], of number: Int64) throws(SQLiteFailure) {
        guard spec.count <= Self.gatheredSpecMax else {
            statements.insertSpec.bind(1, number)
            return try statements.insertSpec.run(with: spec, at: 2)
        }
        let rows = statements.specRows
        try rows.add { statement, base in
            statement.bind(base + 1, number)
            statement.bind(base + 2, spec)
        }
        if rows.isFull || !gathersRows { try rows.run() }
    }

    private static let gatheredSpecMax = 4_096

    /// Inserts the rows that are gathered. To be called before anything else is done with the tables of jobs and specs.
    func insertRows() throws(SQLiteFailure) {
        try statements.jobRows.run()
        try statements.specRows.run()
    }

    // MARK: Batches

    func submit(_ jobs: [NewJob], isAtomic: Bool) throws(SQLiteFailure) -> Result<BatchOutcome, JobStoreError>
    {
        if isAtomic, let refusal = try refusal(of: jobs) { return .failure(refusal) }
        var items: [Result<SubmitOutcome, JobStoreError>] = []
        items.reserveCapacity(jobs.count)
        for job in jobs {
            let outcome = try submit(job)
            if items.isEmpty, case .success(.keyReused(let holder)) = outcome {
                return .success(.keyReused(holder))
            }
            items.append(outcome)
        }
        return .success(.items(items))
    }

    /// Why these jobs cannot all be stored; nil when they can.
    private func refusal(of jobs: [NewJob]) throws(SQLiteFailure) -> JobStoreError? {
        var fresh: Set<JobID> = []
        var keys: [String: JobID] = [:]
        for job in jobs {
            if let claim = job.idempotency, try known(claim, at: job.record.createdAt) != nil { continue }
            guard fresh.insert(job.record.id).inserted, try self.job(job.record.id) == nil else {
                return .duplicateID(job.record.id)
            }
            guard let unique = job.unique else { continue }
            if unique.onConflict == .reject, let holder = keys[unique.key] { return .uniqueTaken(by: holder) }
            if case .failure(let error) = try refusal(of: unique) { return error }
            keys[unique.key] = keys[unique.key] ?? job.record.id
        }
        return tally.unfinished + fresh.count > limits.unfinishedJobsMax
            ? .queueFull(limits.unfinishedJobsMax) : nil
    }

    private func known(_ claim: IdempotencyClaim, at now: Timestamp) throws(SQLiteFailure) -> SubmitOutcome? {
        statements.keyByText.bind(1, claim.key)
        guard try statements.keyByText.step() else { return nil }
        let number = statements.keyByText.integer(0)
        let fingerprint = statements.keyByText.bytes(1)
        let isOver = statements.keyByText.integer(2) <= now.milliseconds
        let named = number == Self.noNumber ? statements.keyByText.id(3) : nil
        statements.keyByText.reset()
        if isOver { return nil }
        if let named {
            guard fingerprint.starts(with: claim.fingerprint) else { return .keyReused(named) }
            return try job(named).map { .replayed($0.record) } ?? .replayedGone(named)
        }
        guard let job = try job(number: number) else { return nil }
        return fingerprint == claim.fingerprint ? .replayed(job.record) : .keyReused(job.record.id)
    }

    /// The number in the row of a key that is not that of a job: the job is erased, or was made by another request and
    /// this one joined it. The job's id stands behind the fingerprint then.
    private static let noNumber: Int64 = 0

    /// Has the key of a job that is erased hold until its own time is over.
    func keep(_ key: String, of job: StoredJob) throws(SQLiteFailure) {
        try keep(key, naming: job.record.id, insteadOf: job.number)
    }

    private func keep(_ key: String, naming id: JobID, insteadOf number: Int64) throws(SQLiteFailure) {
        statements.outlive.bind(1, key)
        statements.outlive.bind(2, number)
        statements.outlive.bind(3, id)
        statements.outlive.bind(4, Self.noNumber)
        try statements.outlive.run()
    }

    private func add(_ claim: IdempotencyClaim, for number: Int64) throws(SQLiteFailure) {
        statements.putKey.bind(1, claim.key)
        statements.putKey.bind(2, number)
        statements.putKey.bind(3, claim.fingerprint)
        statements.putKey.bind(4, claim.expiresAt)
        try statements.putKey.run()
    }

    private func addLabels(of record: JobRecord) throws(SQLiteFailure) {
        for label in record.labels {
            statements.insertLabel.bind(1, label.key)
            statements.insertLabel.bind(2, label.value)
            statements.insertLabel.bind(3, record.id)
            try statements.insertLabel.run()
        }
    }
}
