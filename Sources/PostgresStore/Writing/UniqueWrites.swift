import JobKit
import JobStore

/// Unique keys, which one unfinished job holds at a time.
struct UniqueWrites {
    let unit: WorkUnit

    private var tables: StoreTables { unit.tables }

    /// The outcome of a submission with a unique key that creates no job; nil when one is to be created.
    func refusal(of unique: UniqueClaim) throws(PostgresFailure) -> Result<SubmitOutcome, JobStoreError>? {
        try tables.lines.lock([unique.key])
        switch unique.onConflict {
        case .reject:
            return try tables.lines.holder(of: unique.key).map { .failure(.uniqueTaken(by: $0)) }
        case .join:
            return try tables.lines.last(of: unique.key).flatMap { id throws(PostgresFailure) in
                try unit.touched.job(id).map { .success(.joined($0.record)) }
            }
        case .replace, .wait: return nil
        }
    }

    /// Adds a new job at the end of the line for its key, with a new number if it has to; it waits when another job is
    /// ahead.
    func enter(_ job: inout StoredJob, _ unique: UniqueClaim) throws(PostgresFailure) {
        try tables.lines.lock([unique.key])
        job.flags.insert(.unique)
        if let line = try tables.lines.ends(of: unique.key) {
            job.awaitTurn(for: unique.key, behind: line.holder)
            if job.number <= line.lastNumber { job.number = unit.numbers.next(after: line.lastNumber) }
        }
        try tables.lines.put(unique.key, of: job, isOver: false)
    }

    /// Cancels all jobs in the line ahead of a new one that is added already.
    /// - Returns: the outcome of the submission.
    func replace(by id: JobID, _ unique: UniqueClaim) throws(PostgresFailure) -> SubmitOutcome? {
        var stopping: [RunRequest] = []
        let line = try tables.lines.line(of: unique.key)
        try unit.touched.load(line)
        // In reverse order, so that cancelling one does not hand the key to the next.
        for other in line.prefix(while: { $0 != id }).reversed() {
            guard let job = try unit.touched.job(other) else { continue }
            let request = unique.stopping(job.record)
            if case .success(.cancelling) = try request.apply(in: unit) {
                stopping.append(RunRequest(request))
            }
        }
        return try unit.touched.job(id).map { .replacing($0.record, stopping: stopping) }
    }

    /// Claims the key again for a retry. Returns the holder when that is another job.
    func enterAgain(_ job: StoredJob) throws(PostgresFailure) -> JobID? {
        guard job.flags.contains(.unique), let key = try tables.lines.keys(of: [job.record.id]).values.first
        else {
            return nil
        }
        try tables.lines.lock([key])
        if let holder = try tables.lines.holder(of: key) { return holder }
        try tables.lines.put(key, of: job, isOver: false)
        return nil
    }

    /// Ends a job's place in the line, so that the next one may start.
    func leaveLine(_ job: StoredJob) throws(PostgresFailure) {
        guard let key = try tables.lines.keys(of: [job.record.id]).values.first else { return }
        try tables.lines.lock([key])
        try tables.lines.put(key, of: job, isOver: true)
        guard let holder = try tables.lines.holder(of: key), var next = try unit.touched.job(holder),
            next.flags.contains(.turn)
        else { return }
        let before = next.record
        next.takeTurn(at: job.record.finishedAt ?? job.record.createdAt)
        try unit.save(next, from: before)
    }
}
