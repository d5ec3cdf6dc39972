import JobKit
import JobStore

/// Cancellation requests, retries and erasure.
extension WriterSession {
    func cancel(_ request: CancelRequest) throws(SQLiteFailure) -> Result<CancelOutcome, JobStoreError> {
        guard var job = try job(request.id) else { return .failure(.notFound(request.id)) }
        let before = job.record
        let stored = job
        let stop = try job.stop(request) { () throws(SQLiteFailure) in
            try lastWork(of: stored, stoppedAt: request.at)
        }
        if stop == .alreadyFinal { return .success(.alreadyFinal(job.record)) }
        if stop == .cancelling && job.flags.contains(.approval) {
            try approvals.withdraw(of: job.number, at: request.at)
        }
        if stop != .alreadyCancelling { try save(job, from: before) }
        try journals.append(request.entries(for: stop), to: job.number)
        guard case .cancelled = stop else { return .success(.cancelling(job.record)) }
        return .success(.cancelled(job.record))
    }

    private func lastWork(of job: StoredJob, stoppedAt: Timestamp) throws(SQLiteFailure) -> LastWork {
        return try LastWork(
            of: try specs.bytes(of: job.number), acceptedAt: job.record.createdAt, stoppedAt: stoppedAt
        ) {
            () throws(SQLiteFailure) in try journals.read(job, isNew: false).entries
        }
    }

    func retry(_ id: JobID, journal: JournalEntry) throws(SQLiteFailure) -> Result<JobRecord, JobStoreError> {
        guard var job = try job(id) else { return .failure(.notFound(id)) }
        let before = job.record
        do throws(JobStoreError) { try job.retry(at: journal.at) } catch { return .failure(error) }
        if let holder = try enterAgain(job) { return .failure(.uniqueTaken(by: holder)) }
        if !job.flags.isDisjoint(with: .anyCallback) { try callbacks.remove(of: job.number) }
        try save(job, from: before)
        try results.remove(of: job.number)
        try journals.append([journal], to: job.number)
        return .success(job.record)
    }

    func erase(_ id: JobID) throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        guard let job = try job(id) else { return .failure(.notFound(id)) }
        do throws(JobStoreError) { try job.checkErasable() } catch { return .failure(error) }
        try remove(job)
        return .success(())
    }
}
