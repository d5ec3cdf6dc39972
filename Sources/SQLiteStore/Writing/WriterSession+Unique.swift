import JobKit
import JobStore

// DESIGN
// The unfinished jobs with one unique key form a line ordered by their numbers. The first holds the key; the others are
// `pending` with the flag `turn` until it is over. A job that ends leaves the line in the transaction that ends it, and
// the next one may start in that same transaction.

/// Unique keys, which one unfinished job holds at a time.
extension WriterSession {
    /// The outcome of a submission with a unique key that creates no job; nil when one is to be created.
    func refusal(of unique: UniqueClaim) throws(SQLiteFailure) -> Result<SubmitOutcome, JobStoreError>? {
        switch unique.onConflict {
        case .reject:
            return try holder(of: unique.key).map { .failure(.uniqueTaken(by: $0.record.id)) }
        case .join:
            return try uniques.last(of: unique.key).flatMap { number throws(SQLiteFailure) in
                try job(number: number).map { .success(.joined($0.record)) }
            }
        case .replace, .wait: return nil
        }
    }

    /// Adds a new job at the end of the line for its key; it waits when another job is ahead.
    func enter(_ job: inout StoredJob, _ unique: UniqueClaim) throws(SQLiteFailure) {
        job.flags.insert(.unique)
        if let holder = try holder(of: unique.key) {
            job.awaitTurn(for: unique.key, behind: holder.record.id)
        }
        try uniques.put(unique.key, of: job.number, isOver: false)
    }

    /// Cancels all jobs in the line ahead of a new one that is stored already.
    /// - Returns: the outcome of the submission.
    func replace(
        before number: Int64, _ unique: UniqueClaim
    ) throws(SQLiteFailure) -> SubmitOutcome? {
        var stopping: [RunRequest] = []
        // In reverse order, so that cancelling one does not hand the key to the next.
        for other in try uniques.line(of: unique.key).reversed() where other < number {
            guard let job = try job(number: other) else { continue }
            let request = unique.stopping(job.record)
            if case .success(.cancelling) = try request.apply(in: self) {
                stopping.append(RunRequest(request))
            }
        }
        guard let job = try job(number: number) else { return nil }
        return .replacing(job.record, stopping: stopping)
    }

    /// Claims the key again for a retry. Returns the holder when that is another job.
    func enterAgain(_ job: StoredJob) throws(SQLiteFailure) -> JobID? {
        guard job.flags.contains(.unique), let key = try uniques.key(of: job.number) else { return nil }
        if let holder = try holder(of: key) { return holder.record.id }
        try uniques.put(key, of: job.number, isOver: false)
        return nil
    }

    /// Ends a job's place in the line, so that the next one may start.
    func leaveLine(_ job: StoredJob) throws(SQLiteFailure) {
        guard let key = try uniques.key(of: job.number) else { return }
        try uniques.put(key, of: job.number, isOver: true)
        guard var next = try holder(of: key), next.flags.contains(.turn) else { return }
        let before = next.record
        next.takeTurn(at: job.record.finishedAt ?? job.record.createdAt)
        try save(next, from: before)
    }

    private func holder(of key: String) throws(SQLiteFailure) -> StoredJob? {
        try uniques.holder(of: key).flatMap { number throws(SQLiteFailure) in try job(number: number) }
    }
}
