package import JobKit

/// Does up to `limit` (1…10,000) pieces of upkeep: erases final jobs whose `purgeAt` is past and whose callbacks are
/// stored, and idempotency keys whose time is over, and ends jobs past `expiresAt` that were never started: as `failed`
/// when that is their `NewJob.deadline`, otherwise as `expired`.
package struct JobSweep: StoreWrite {
    /// The number of pieces that were done; fewer than `limit` means all.
    package typealias Reply = Int

    package var now: Timestamp
    package var limit: Int
    /// Makes the error of a job that ends in a state.
    package var expire: @Sendable (JobRecord, JobState) -> AOperationError

    package init(
        now: Timestamp, limit: Int, expire: @escaping @Sendable (JobRecord, JobState) -> AOperationError
    ) {
        self.now = now
        self.limit = StoreRange.batch(limit)
        self.expire = expire
    }

    package var rows: Int { limit }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        try transaction.beginUpkeep(at: now, limit: limit)
        let old = try transaction.purgeable(at: now, limit: limit)
        // The group may have changed some.
        try transaction.remove(old.filter(\.record.state.isFinal))
        var done = old.count
        if done < limit {
            let keys = try transaction.removeKeys(at: now, limit: limit - done)
            if keys > 0 { transaction.noteErasure() }
            done += keys
        }
        if done >= limit { return .success(done) }
        for lapsed in try transaction.lapsed(at: now, limit: limit - done) {
            // The end of one job may have changed another.
            guard var job = try transaction.job(lapsed.record.id), job.isLapsed(at: now) else { continue }
            let before = job.record
            let entry = job.expire(at: now, expire(before, job.lapsedState))
            try transaction.save(job, from: before)
            try transaction.append([entry], to: job)
            done += 1
        }
        return .success(done)
    }
}
