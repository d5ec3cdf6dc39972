import JobKit
import JobStore

/// Posts and wake-ups.
extension WriterSession {
    func post(_ post: JobPost) throws(SQLiteFailure) -> Result<PostReceipt, JobStoreError> {
        guard var job = try job(post.id) else { return .failure(.notFound(post.id)) }
        let before = job.record
        let isRunning: Bool
        do throws(JobStoreError) {
            isRunning = try job.take(post, postsMax: limits.postsMax)
        } catch {
            return .failure(error)
        }
        try save(job, from: before)
        try journals.append([post.journal], to: job.number)
        return .success(PostReceipt(job: job.record, number: job.posts, isRunning: isRunning))
    }

    func wake(_ ids: [JobID], at now: Timestamp) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        var count = 0
        for id in ids {
            if let job = try job(id), try wake(job, at: now) { count += 1 }
        }
        return .success(count)
    }

    func wake(key: String, at now: Timestamp) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        var count = 0
        for number in try wakes.numbers(of: key) {
            if let job = try job(number: number), try wake(job, at: now) { count += 1 }
        }
        return .success(count)
    }

    private func wake(_ job: StoredJob, at now: Timestamp) throws(SQLiteFailure) -> Bool {
        var job = job
        let before = job.record
        let posts = job.posts
        let isWoken = job.wake(at: now)
        if isWoken || job.posts != posts { try save(job, from: before) }
        return isWoken
    }

    /// Removes the rows of an ended job.
    func removeRows(of job: inout StoredJob) throws(SQLiteFailure) {
        if job.flags.contains(.wake) { try wakes.remove(of: job.number) }
        if job.flags.contains(.hold) { try holds.remove(of: job.number) }
        if job.flags.contains(.approval), let end = job.record.finishedAt {
            try approvals.withdraw(of: job.number, at: end)
        }
        if job.flags.contains(.unique) { try leaveLine(job) }
        if job.flags.contains(.summary) { try journals.removeSummary(of: job.number) }
        if job.hasCallback { try callbacks.add(job) }
        job.flags.formIntersection(.lasting)
    }
}
