import JobKit
import JobStore

/// What comes to a job from outside, and what wakes it.
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
        try append([post.journal], to: job.number)
        return .success(PostReceipt(job: job.record, number: job.mail, isRunning: isRunning))
    }

    func wake(_ ids: [JobID], at now: Timestamp) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        var count = 0
        for id in ids {
            if let job = try job(id), try wake(job, at: now) { count += 1 }
        }
        return .success(count)
    }

    func wake(key: String, at now: Timestamp) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        statements.wakeNumbers.bind(1, key)
        var numbers: [Int64] = []
        do {
            defer { statements.wakeNumbers.reset() }
            while try statements.wakeNumbers.step() { numbers.append(statements.wakeNumbers.integer(0)) }
        }
        var count = 0
        for number in numbers {
            if let job = try job(number: number), try wake(job, at: now) { count += 1 }
        }
        return .success(count)
    }

    private func wake(_ job: StoredJob, at now: Timestamp) throws(SQLiteFailure) -> Bool {
        var job = job
        let before = job.record
        let mail = job.mail
        let isWoken = job.wake(at: now)
        if isWoken || job.mail != mail { try save(job, from: before) }
        return isWoken
    }

    /// Keeps the keys under which a job is woken while it is put down.
    func keep(_ wakeKeys: [String], of job: inout StoredJob) throws(SQLiteFailure) {
        if job.ties.contains(.wake) {
            statements.deleteWakes.bind(1, job.number)
            try statements.deleteWakes.run()
            job.ties.remove(.wake)
        }
        for key in wakeKeys {
            statements.putWake.bind(1, key)
            statements.putWake.bind(2, job.number)
            try statements.putWake.run()
            job.ties.insert(.wake)
        }
    }

    /// Notes which exclusive keys a run took and gave back.
    func note(taken: [ExclusiveHold], freed: [String], of job: inout StoredJob) throws(SQLiteFailure) {
        for key in freed {
            statements.deleteHold.bind(1, key)
            statements.deleteHold.bind(2, job.number)
            try statements.deleteHold.run()
        }
        for hold in taken {
            statements.putHold.bind(1, hold.key)
            statements.putHold.bind(2, job.number)
            statements.putHold.bind(3, hold.path.joined(separator: "/"))
            try statements.putHold.run()
            job.ties.insert(.hold)
        }
    }

    /// Removes the rows of a job that is over.
    func cutTies(of job: inout StoredJob) throws(SQLiteFailure) {
        if job.ties.contains(.wake) {
            statements.deleteWakes.bind(1, job.number)
            try statements.deleteWakes.run()
        }
        if job.ties.contains(.hold) {
            statements.deleteHolds.bind(1, job.number)
            try statements.deleteHolds.run()
        }
        if job.ties.contains(.approval), let end = job.record.finishedAt {
            try withdrawApprovals(of: job.number, at: end)
        }
        if job.ties.contains(.unique) { try leaveLine(job) }
        if job.ties.contains(.summary) { try deleteSummary(of: job.number) }
        if job.isTold { try noteEnd(of: job) }
        job.ties.formIntersection(.lasting)
    }
}
