import JobKit
import JobStore

// DESIGN
// The jobs with one unique key that are not over stand in a line by their numbers. The first has the key; the others
// are `pending` with the flag `turn` until it is over. Whoever is over leaves the line in the transaction that ends it,
// and the next one may start in that same transaction.

/// Keys that one unfinished job has at a time.
extension WriterSession {
    /// The outcome of a submission with a unique key that makes no job; nil when one is to be made.
    func refusal(of unique: UniqueClaim) throws(SQLiteFailure) -> Result<SubmitOutcome, JobStoreError>? {
        switch unique.onConflict {
        case .reject:
            return try holder(of: unique.key).map { .failure(.uniqueTaken(by: $0.record.id)) }
        case .join:
            return try uniques.last(of: unique.key).flatMap { number throws(SQLiteFailure) in
                try job(number: number).map { .success(.joined($0.record)) }
            }
        case .replace, .queue: return nil
        }
    }

    /// Puts a new job at the end of the line for its key; it waits when another job is before it.
    func enter(_ job: inout StoredJob, _ unique: UniqueClaim) throws(SQLiteFailure) {
        job.flags.insert(.unique)
        if let holder = try holder(of: unique.key) {
            job.awaitTurn(detail: unique.waiting(holder.record.id))
        }
        try uniques.put(unique.key, of: job.number, isOver: false)
    }

    /// Cancels all jobs in the line before a new one that is stored already.
    /// - Returns: the outcome of the submission.
    func replace(
        before number: Int64, _ unique: UniqueClaim
    ) throws(SQLiteFailure) -> SubmitOutcome? {
        var inFlight: [JobID] = []
        // From the last to the first, so that no one of them gets the key.
        for other in try uniques.line(of: unique.key).reversed() where other < number {
            guard let job = try job(number: other) else { continue }
            let request = unique.stopping(job.record)
            if case .success(.cancelling) = try cancel(request) { inFlight.append(request.id) }
        }
        guard let job = try job(number: number) else { return nil }
        return .replacing(job.record, inFlight: inFlight)
    }

    /// Another try takes the key again; the job that has it when that is another.
    func enterAgain(_ job: StoredJob) throws(SQLiteFailure) -> JobID? {
        guard job.flags.contains(.unique), let key = try uniques.key(of: job.number) else { return nil }
        if let holder = try holder(of: key) { return holder.record.id }
        try uniques.put(key, of: job.number, isOver: false)
        return nil
    }

    /// A job with a unique key is over: the next in line may start.
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
