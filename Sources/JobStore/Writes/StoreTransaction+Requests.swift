package import JobKit

/// Cancellation requests, retries, erasure, posts and wake-ups.
extension StoreTransaction {
    package func cancel(_ request: CancelRequest) throws(Failure) -> Result<CancelOutcome, JobStoreError> {
        guard var job = try job(request.id) else { return .failure(.notFound(request.id)) }
        let stored = job
        let stop = try job.stop(request) { () throws(Failure) in
            try LastWork(
                of: try spec(of: stored), acceptedAt: stored.record.createdAt, stoppedAt: request.at
            ) { () throws(Failure) in try journal(of: stored) }
        }
        if stop == .alreadyFinal { return .success(.alreadyFinal(job.record)) }
        if stop == .cancelling && job.owner != nil {
            note(RunRequest(id: request.id, journal: request.journal, number: job.record.fence))
        }
        if stop == .cancelling && job.flags.contains(.approval) {
            try withdrawApprovals(of: job, at: request.at)
        }
        if stop != .alreadyCancelling { try save(job, from: stored.record) }
        try append(request.entries(for: stop), to: job)
        guard case .cancelled = stop else { return .success(.cancelling(job.record)) }
        return .success(.cancelled(job.record))
    }

    /// Cancels the jobs that give way to a new one of their schedule, if that was stored.
    /// - Returns: the requests to those that run.
    package func cancelReplaced(
        in change: ScheduleChange, by outcomes: [Result<SubmitOutcome, JobStoreError>]
    ) throws(Failure) -> [RunRequest] {
        guard change.replaces(by: outcomes) else { return [] }
        var stopping: [RunRequest] = []
        for request in change.replaced {
            if case .success(.cancelling) = try cancel(request) { stopping.append(RunRequest(request)) }
        }
        return stopping
    }

    package func retry(
        _ id: JobID, journal: JournalEntry
    ) throws(Failure) -> Result<JobRecord, JobStoreError> {
        guard var job = try job(id) else { return .failure(.notFound(id)) }
        let before = job.record
        do throws(JobStoreError) { try job.retry(at: journal.at) } catch { return .failure(error) }
        if let holder = try enterAgain(job) { return .failure(.uniqueTaken(by: holder)) }
        if !job.flags.isDisjoint(with: .anyCallback) { try removeCallbacks(of: job) }
        try save(job, from: before)
        try removeResult(of: job)
        try append([journal], to: job)
        return .success(job.record)
    }

    package func erase(_ id: JobID) throws(Failure) -> Result<Void, JobStoreError> {
        guard let job = try job(id) else { return .failure(.notFound(id)) }
        do throws(JobStoreError) { try job.checkErasable() } catch { return .failure(error) }
        try remove(job)
        return .success(())
    }

    package func post(_ post: JobPost) throws(Failure) -> Result<PostReceipt, JobStoreError> {
        guard let job = try job(post.id) else { return .failure(.notFound(post.id)) }
        return try deliver(post, to: job)
    }

    private func deliver(
        _ post: JobPost, to job: StoredJob
    ) throws(Failure) -> Result<PostReceipt, JobStoreError> {
        var job = job
        let before = job.record
        let isRunning: Bool
        do throws(JobStoreError) {
            isRunning = try job.take(post, limits: limits)
        } catch {
            return .failure(error)
        }
        try save(job, from: before)
        try append([post.journal], to: job)
        if isRunning { note(RunRequest(id: post.id, journal: post.journal, number: job.lastPost)) }
        return .success(PostReceipt(job: job.record, number: job.lastPost, isRunning: isRunning))
    }

    package func wake(_ ids: [JobID], at now: Timestamp) throws(Failure) -> Int {
        try willChange(ids)
        var count = 0
        for id in ids {
            guard var job = try job(id) else { continue }
            let before = job.record
            let posts = job.posts
            let isWoken = job.wake(at: now)
            if isWoken || job.posts != posts { try save(job, from: before) }
            if isWoken { count += 1 }
        }
        return count
    }

    package func wake(key: String, limit: Int, at now: Timestamp) throws(Failure) -> WakeReceipt {
        let ids = try waiting(for: key, limit: limit)
        let woken = try wake(ids, at: now)
        // One that does not wait any more finds out by itself what the key stands for.
        try removeWakes(key, of: ids)
        return WakeReceipt(woken: woken, isMore: ids.count == limit)
    }

    package func decide(
        _ decision: ApprovalDecision
    ) throws(Failure) -> Result<ApprovalReceipt, JobStoreError> {
        guard let (known, job) = try approval(decision.id) else { return .failure(.noApproval(decision.id)) }
        var approval = known
        do throws(JobStoreError) { try approval.decide(decision) } catch { return .failure(error) }
        switch try deliver(decision.post(to: approval.job), to: job) {
        case .failure(let error): return .failure(error)
        case .success(let receipt):
            try answer(approval)
            return .success(ApprovalReceipt(approval: approval, post: receipt))
        }
    }
}
