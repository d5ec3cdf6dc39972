import JobKit
import JobStore

/// Maintenance: retention, expiry, recovery.
extension WriterSession {
    func sweep(
        now: Timestamp, limit: Int, expire: (JobRecord, JobState) -> AOperationError
    ) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        try lines.tidy(at: now)
        let old = try jobs.purgeable(at: now, limit: limit)
        for job in old { try remove(job) }
        var done = old.count
        let left = limit - done
        done += try erasing { () throws(SQLiteFailure) in try keys.removeOld(at: now, limit: left) }
        for lapsed in try jobs.lapsed(at: now, limit: limit - done) {
            // The end of one job may have changed another.
            guard var job = try job(number: lapsed.number), job.isLapsed(at: now) else { continue }
            let before = job.record
            let entry = job.expire(at: now, expire(before, job.lapsedState))
            try save(job, from: before)
            try journals.append([entry], to: job.number)
            done += 1
        }
        return .success(done)
    }

    /// Requeues the jobs of owners that are dead or stop, and returns their number.
    func putBackJobs(
        at now: Timestamp, isDeath: Bool, of isOver: (OwnerID) -> Bool
    ) throws(SQLiteFailure) -> Int {
        var count = 0
        for var job in try jobs.held() where job.owner.map(isOver) ?? false {
            let before = job.record
            job.putBack(at: now, isDeath: isDeath)
            try save(job, from: before)
            if job.isSuspect { try suspects.add(job) }
            count += 1
        }
        return count
    }

    func nextDueAt() throws(SQLiteFailure) -> Result<Timestamp?, JobStoreError> {
        let first = try jobs.firstDueAt()
        tally.nothingDueBefore = first
        return .success([first, lines.gate.firstAlarm].compactMap(\.self).min())
    }
}
