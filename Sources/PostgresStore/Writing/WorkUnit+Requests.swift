import JobKit
import JobStore

/// Cancellation requests, retries, erasure, posts and wake-ups.
extension WorkUnit {
    func cancel(_ request: CancelRequest) throws(PostgresFailure) -> Result<CancelOutcome, JobStoreError> {
        guard var job = try touched.job(request.id) else { return .failure(.notFound(request.id)) }
        let before = job.record
        let stored = job
        let stop = try job.stop(request) { () throws(PostgresFailure) in
            try LastWork(
                of: try touched.spec(of: request.id), acceptedAt: stored.record.createdAt,
                stoppedAt: request.at
            ) { () throws(PostgresFailure) in try touched.journal(of: stored) }
        }
        if stop == .alreadyFinal { return .success(.alreadyFinal(job.record)) }
        if stop == .cancelling && job.owner != nil {
            note(RunRequest(id: request.id, journal: request.journal))
        }
        if stop == .cancelling && job.flags.contains(.approval) {
            try tables.approvals.withdraw(of: request.id, at: request.at)
        }
        if stop != .alreadyCancelling { try save(job, from: before) }
        touched.append(request.entries(for: stop), to: request.id)
        guard case .cancelled = stop else { return .success(.cancelling(job.record)) }
        // What ended the job may have changed its flags, but nothing that its record shows.
        return .success(.cancelled(job.record))
    }

    func retry(
        _ id: JobID, journal: JournalEntry
    ) throws(PostgresFailure) -> Result<JobRecord, JobStoreError> {
        guard var job = try touched.job(id) else { return .failure(.notFound(id)) }
        let before = job.record
        do throws(JobStoreError) { try job.retry(at: journal.at) } catch { return .failure(error) }
        if let holder = try enterAgain(job) { return .failure(.uniqueTaken(by: holder)) }
        if !job.flags.isDisjoint(with: .anyCallback) { try tables.jobs.delete([id], from: "callback") }
        try save(job, from: before)
        touched.put(nil, of: id)
        touched.append([journal], to: id)
        return .success(job.record)
    }

    func erase(_ id: JobID) throws(PostgresFailure) -> Result<Void, JobStoreError> {
        guard let job = try touched.job(id) else { return .failure(.notFound(id)) }
        do throws(JobStoreError) { try job.checkErasable() } catch { return .failure(error) }
        // What the group changed about it is written before it goes.
        try touched.flush()
        remove(job)
        return .success(())
    }

    // MARK: Posts

    func post(_ post: JobPost) throws(PostgresFailure) -> Result<PostReceipt, JobStoreError> {
        guard var job = try touched.job(post.id) else { return .failure(.notFound(post.id)) }
        let before = job.record
        let isRunning: Bool
        do throws(JobStoreError) {
            isRunning = try job.take(post, postsMax: limits.postsMax)
        } catch {
            return .failure(error)
        }
        try save(job, from: before)
        touched.append([post.journal], to: post.id)
        if isRunning { note(RunRequest(id: post.id, journal: post.journal, number: job.posts)) }
        return .success(PostReceipt(job: job.record, number: job.posts, isRunning: isRunning))
    }

    func wake(_ ids: [JobID], at now: Timestamp) throws(PostgresFailure) -> Result<Int, JobStoreError> {
        try touched.load(ids)
        var count = 0
        for id in ids {
            guard var job = try touched.job(id) else { continue }
            let before = job.record
            let posts = job.posts
            let isWoken = job.wake(at: now)
            if isWoken || job.posts != posts { try save(job, from: before) }
            if isWoken { count += 1 }
        }
        return .success(count)
    }

    func wake(key: String, at now: Timestamp) throws(PostgresFailure) -> Result<Int, JobStoreError> {
        try wake(try tables.wakes.ids(of: key), at: now)
    }

    /// Removes the rows of an ended job.
    func removeRows(of job: inout StoredJob) throws(PostgresFailure) {
        let id = job.record.id
        if job.flags.contains(.wake) { try tables.wakes.remove(of: id) }
        if job.flags.contains(.hold) {
            try freeKeys(of: id, at: job.record.finishedAt ?? job.record.createdAt)
        }
        if job.flags.contains(.approval), let end = job.record.finishedAt {
            try tables.approvals.withdraw(of: id, at: end)
        }
        if job.flags.contains(.unique) { try leaveLine(job) }
        if job.flags.contains(.summary) { try tables.jobs.delete([id], from: "summary") }
        if job.hasCallback { try tables.callbacks.add(job) }
        job.flags.formIntersection(.lasting)
    }
}
