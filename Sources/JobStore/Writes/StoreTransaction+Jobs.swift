package import JobKit

/// Wake-ups.
extension StoreTransaction {
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
}
