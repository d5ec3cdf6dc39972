import JobKit
import JobStore

/// What time and restarts make necessary.
extension WriterSession {
    func sweep(
        now: Timestamp, limit: Int, expire: (JobRecord, JobState) -> ExpiredJob
    ) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        statements.purgeable.bind(1, now)
        statements.purgeable.bind(2, Int64(limit))
        let old = try jobs(statements.purgeable)
        for job in old { try remove(job) }
        var done = old.count
        statements.deleteOldKeys.bind(1, now)
        statements.deleteOldKeys.bind(2, Int64(limit - done))
        try statements.deleteOldKeys.run()
        done += connection.changedRows
        statements.lapsed.bind(1, now)
        statements.lapsed.bind(2, Int64(limit - done))
        for lapsed in try jobs(statements.lapsed) {
            // The end of one may have changed another.
            guard var job = try job(number: lapsed.number), job.isLapsed(at: now) else { continue }
            let before = job.record
            let ending = expire(before, job.lapsedState)
            job.expire(at: now, detail: ending.detail)
            try save(job, from: before)
            try append([ending.journal], to: job.number)
            done += 1
        }
        return .success(done)
    }

    /// The owners of jobs in flight.
    func owners() throws(SQLiteFailure) -> [OwnerID] {
        try insertRows()
        var found: [OwnerID] = []
        while true {
            statements.nextOwner.bind(1, found.last?.description ?? "")
            defer { statements.nextOwner.reset() }
            guard try statements.nextOwner.step() else { return found }
            found.append(OwnerID(statements.nextOwner.text(0)))
        }
    }

    /// Puts back the jobs of an owner that is dead or stops; how many there were.
    func putBackJobs(of owner: OwnerID, at now: Timestamp, isDeath: Bool) throws(SQLiteFailure) -> Int {
        statements.held.bind(1, owner.description)
        let held = try jobs(statements.held)
        for var job in held {
            let before = job.record
            job.putBack(at: now, isDeath: isDeath)
            try save(job, from: before)
        }
        return held.count
    }

    func nextDueAt() throws(SQLiteFailure) -> Result<Timestamp?, JobStoreError> {
        let first = try firstDue()
        tally.nothingDueBefore = first
        return .success(first)
    }

    /// A write that changes nothing anybody can see.
    func probe() throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        try statements.probe.run()
        return .success(())
    }
}
