import JobKit
import JobStore

/// What people ask for: stop, try again, erase.
extension WriterSession {
    func cancel(_ request: CancelRequest) throws(SQLiteFailure) -> Result<CancelOutcome, JobStoreError> {
        guard var job = try job(request.id) else { return .failure(.notFound(request.id)) }
        let before = job.record
        let stored = job
        let stop = try job.stop(request) { () throws(SQLiteFailure) in
            try lastWork(of: stored, stoppedAt: request.at)
        }
        if stop == .alreadyFinal { return .success(.alreadyFinal(job.record)) }
        if stop == .cancelling && job.ties.contains(.approval) {
            try withdrawApprovals(of: job.number, at: request.at)
        }
        if stop != .alreadyCancelling { try save(job, from: before) }
        try append(request.entries(for: stop), to: job.number)
        guard case .cancelled = stop else { return .success(.cancelling(job.record)) }
        return .success(.cancelled(job.record))
    }

    private func lastWork(of job: StoredJob, stoppedAt: Timestamp) throws(SQLiteFailure) -> LastWork {
        statements.specByNumber.bind(1, job.number)
        defer { statements.specByNumber.reset() }
        let spec = try statements.specByNumber.step() ? statements.specByNumber.bytes(0) : []
        return try LastWork(of: spec, acceptedAt: job.record.createdAt, stoppedAt: stoppedAt) {
            () throws(SQLiteFailure) in try journal(job, isNew: false).entries
        }
    }

    func retry(_ id: JobID, journal: JournalEntry) throws(SQLiteFailure) -> Result<JobRecord, JobStoreError> {
        guard var job = try job(id) else { return .failure(.notFound(id)) }
        let before = job.record
        do throws(JobStoreError) { try job.retry(at: journal.at) } catch { return .failure(error) }
        if let holder = try enterAgain(job) { return .failure(.uniqueTaken(by: holder)) }
        if !job.ties.isDisjoint(with: .anyTold) { try forgetEnd(of: job.number) }
        try save(job, from: before)
        statements.deleteResult.bind(1, job.number)
        try statements.deleteResult.run()
        try append([journal], to: job.number)
        return .success(job.record)
    }

    func erase(_ id: JobID) throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        guard let job = try job(id) else { return .failure(.notFound(id)) }
        do throws(JobStoreError) { try job.checkErasable() } catch { return .failure(error) }
        try remove(job)
        return .success(())
    }
}
