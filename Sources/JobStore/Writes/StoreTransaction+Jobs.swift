package import JobKit

/// Replaced jobs and wake-ups.
extension StoreTransaction {
    /// Cancels the jobs that give way to a new one of their schedule, if that was stored.
    /// - Returns: the requests to those that run.
    package func cancelReplaced(
        in change: ScheduleChange, by outcomes: [Result<SubmitOutcome, JobStoreError>]
    ) throws(Failure) -> [RunRequest] {
        guard change.replaces(by: outcomes) else { return [] }
        var stopping: [RunRequest] = []
        for request in change.replaced {
            if case .success(.cancelling) = try request.apply(in: self) {
                stopping.append(RunRequest(request))
            }
        }
        return stopping
    }

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
