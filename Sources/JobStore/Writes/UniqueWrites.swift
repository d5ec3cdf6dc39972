package import JobKit

// DESIGN
// The unfinished jobs with one unique key form a line ordered by their numbers. The first holds the key; the others are
// `pending` with the flag `turn` until it is over. A job that ends leaves the line in the transaction that ends it, and
// the next one may start in that same transaction.

/// The lines of jobs for unique keys.
package protocol UniqueRows {
    associatedtype Failure: Error

    /// Keeps other servers from changing the lines for keys until the end of the transaction.
    func lock(_ keys: [String]) throws(Failure)

    /// The unique key of a job.
    func key(of job: StoredJob) throws(Failure) -> String?

    /// The job that holds a key.
    func holder(of key: String) throws(Failure) -> JobID?

    /// The last job in the line for a key.
    func last(of key: String) throws(Failure) -> JobID?

    /// All jobs in the line for a key.
    func line(of key: String) throws(Failure) -> [JobID]

    /// Adds a job to the line for a key, or marks it as over.
    func put(_ key: String, of job: StoredJob, isOver: Bool) throws(Failure)
}

/// Unique keys, which one unfinished job holds at a time.
extension StoreTransaction {
    /// The outcome of a submission with a unique key that creates no job; nil when one is to be created.
    package func refusal(
        of unique: UniqueClaim
    ) throws(Failure) -> Result<SubmitOutcome, JobStoreError>? {
        try uniques.lock([unique.key])
        switch unique.onConflict {
        case .reject: return try uniques.holder(of: unique.key).map { .failure(.uniqueTaken(by: $0)) }
        case .join:
            return try uniques.last(of: unique.key).flatMap { id throws(Failure) in
                try job(id).map { .success(.joined($0.record)) }
            }
        case .replace, .wait: return nil
        }
    }

    /// Cancels all jobs in the line ahead of a new one that is stored already.
    /// - Returns: the outcome of the submission.
    package func replace(by id: JobID, _ unique: UniqueClaim) throws(Failure) -> SubmitOutcome? {
        var stopping: [RunRequest] = []
        let line = try uniques.line(of: unique.key)
        try willChange(line, mayEnd: true)
        // In reverse order, so that cancelling one does not hand the key to the next.
        for other in line.prefix(while: { $0 != id }).reversed() {
            guard let job = try job(other) else { continue }
            let request = unique.stopping(job.record)
            if case .success(.cancelling) = try request.apply(in: self) {
                stopping.append(RunRequest(request))
            }
        }
        return try job(id).map { .replacing($0.record, stopping: stopping) }
    }

    /// Claims the key again for a retry. Returns the holder when that is another job.
    func enterAgain(_ job: StoredJob) throws(Failure) -> JobID? {
        guard job.flags.contains(.unique), let key = try uniques.key(of: job) else { return nil }
        try uniques.lock([key])
        if let holder = try uniques.holder(of: key) { return holder }
        try uniques.put(key, of: job, isOver: false)
        return nil
    }

    /// Ends a job's place in the line, so that the next one may start.
    package func leaveLine(_ job: StoredJob) throws(Failure) {
        guard let key = try uniques.key(of: job) else { return }
        try uniques.lock([key])
        try uniques.put(key, of: job, isOver: true)
        guard let holder = try uniques.holder(of: key), var next = try self.job(holder),
            next.flags.contains(.turn)
        else { return }
        let before = next.record
        next.takeTurn(at: job.record.finishedAt ?? job.record.createdAt)
        try save(next, from: before)
    }
}
