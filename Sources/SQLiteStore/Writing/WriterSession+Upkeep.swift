import JobKit
import JobStore

/// Maintenance: retention, expiry, recovery.
extension WriterSession {
    func beginUpkeep(at now: Timestamp, limit: Int) throws(SQLiteFailure) { try lines.tidy(at: now) }

    func purgeable(at now: Timestamp, limit: Int) throws(SQLiteFailure) -> [JobID] {
        try jobs.purgeable(at: now, limit: limit)
    }

    /// The size of a job is that of the pages that become free: each of them is overwritten.
    func purge(_ ids: [JobID], within budget: inout JobBudget) throws(SQLiteFailure) {
        for id in ids where !budget.isSpent {
            guard let job = try job(id) else { continue }
            let before = try freePages()
            try remove(job)
            budget.take(max(0, try freePages() - before) * pageBytes)
        }
    }

    func removeKeys(at now: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        try keys.removeOld(at: now, limit: limit)
    }

    func lapsed(at now: Timestamp, limit: Int) throws(SQLiteFailure) -> [JobID] {
        try jobs.lapsed(at: now, limit: limit)
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

    func nextDueAt() throws(SQLiteFailure) -> Timestamp? {
        let first = try jobs.firstDueAt()
        tally.nothingDueBefore = first
        return [first, lines.gate.firstAlarm].compactMap(\.self).min()
    }
}
