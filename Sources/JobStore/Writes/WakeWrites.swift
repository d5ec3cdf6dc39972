package import JobKit

/// The keys under which suspended jobs are woken.
package protocol WakeRows {
    associatedtype Failure: Error

    /// Up to `limit` jobs that are woken under a key.
    func ids(of key: String, limit: Int) throws(Failure) -> [JobID]

    /// Replaces the keys of a job.
    func put(_ keys: [String], of job: inout StoredJob) throws(Failure)

    /// Forgets that jobs are woken under a key.
    func remove(_ key: String, of ids: [JobID]) throws(Failure)

    /// A key under which jobs wait for a grant that is not asked for, since it was decided or removed.
    func settledKey() throws(Failure) -> String?
}

/// Makes suspended jobs claimable at once. A job in flight is queued again when it is suspended; others stay unchanged.
package struct JobWake: StoreWrite {
    /// The number of jobs that became `queued`.
    package typealias Reply = Int

    package var ids: [JobID]
    package var at: Timestamp

    package init(_ ids: [JobID], at: Timestamp) {
        self.ids = ids
        self.at = at
    }

    package var needs: WriteNeeds { WriteNeeds(ids: ids) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        .success(try transaction.wake(ids, at: at))
    }
}

/// Wakes up to `limit` (1…10,000) jobs that were suspended with this key among their `wakeKeys`, and forgets the key.
package struct KeyWake: StoreWrite {
    /// The number of jobs that it woke, and whether more may wait.
    package typealias Reply = WakeReceipt

    package var key: String
    package var limit: Int
    package var at: Timestamp

    package init(_ key: String, limit: Int = WakeReceipt.part, at: Timestamp) {
        self.key = key
        self.limit = StoreRange.batch(limit)
        self.at = at
    }

    package var rows: Int { limit }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        .success(try transaction.wake(key: key, limit: limit, at: at))
    }
}

extension StoreTransaction {
    package func wake(_ ids: [JobID], at now: Timestamp) throws(Failure) -> Int {
        try willChange(ids, mayEnd: false)
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
        let ids = try wakes.ids(of: key, limit: limit)
        let woken = try wake(ids, at: now)
        // One that does not wait any more finds out by itself what the key stands for.
        try wakes.remove(key, of: ids)
        return WakeReceipt(woken: woken, isMore: ids.count == limit)
    }
}

/// Looks for the due date of the next job in `scheduled`, `waiting` or `retrying`, as the writes before it leave them.
package struct NextDueDate: StoreWrite {
    /// Nil when there is none.
    package typealias Reply = Timestamp?

    package init() {}

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        .success(try transaction.nextDueAt())
    }
}
