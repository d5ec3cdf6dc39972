package import JobKit

/// Does up to `limit` (1…10,000) pieces of upkeep: erases final jobs whose `purgeAt` is past and whose callbacks are
/// stored, and idempotency keys whose time is over, and ends jobs past `expiresAt` that were never started: as `failed`
/// when that is their `NewJob.deadline`, otherwise as `expired`.
package struct JobSweep: StoreWrite {
    package typealias Reply = SweepOutcome

    package var now: Timestamp
    package var limit: Int
    /// The size of erased jobs, in bytes, at which a sweep erases no further ones. A single job may be larger.
    package var bytesMax = 2 << 20
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
        var budget = JobBudget(jobs: limit, bytes: bytesMax)
        try transaction.purge(transaction.purgeable(at: now, limit: limit), within: &budget)
        // The limit of bytes is for erasures only: large ones must not hold up expiry.
        if budget.jobs > 0 {
            let keys = try transaction.removeKeys(at: now, limit: budget.jobs)
            if keys > 0 { transaction.noteErasure() }
            for _ in 0..<keys { budget.take(0) }
        }
        if budget.jobs > 0 { try endLapsed(in: transaction, within: &budget) }
        return .success(SweepOutcome(limit: limit, left: budget))
    }

    private func endLapsed<Transaction: StoreTransaction>(
        in transaction: Transaction, within budget: inout JobBudget
    ) throws(Transaction.Failure) {
        for id in try transaction.lapsed(at: now, limit: budget.jobs) {
            // The end of one job may have changed another.
            guard var job = try transaction.job(id), job.isLapsed(at: now) else { continue }
            let before = job.record
            let entry = job.expire(at: now, expire(before, job.lapsedState))
            try transaction.save(job, from: before)
            try transaction.append([entry], to: job)
            budget.take(0)
        }
    }
}

/// The work of one sweep.
package struct SweepOutcome: Sendable, Equatable {
    /// The number of pieces.
    package var count: Int
    package var end: End

    /// The reason why a sweep ends.
    package enum End: Sendable {
        /// Nothing is left.
        case whole
        /// Its number of pieces, or its size; others may be left.
        case limit, bytes
    }

    /// The outcome of a sweep of up to `limit` pieces that left this much of its budget.
    init(limit: Int, left: JobBudget) {
        count = limit - left.jobs
        end = left.jobs == 0 ? .limit : left.isSpent ? .bytes : .whole
    }
}
