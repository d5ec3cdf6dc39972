import JobKit
import JobStore
import StrictJSON

extension MemoryLedger {
    mutating func post(_ post: JobPost) throws(JobStoreError) -> PostReceipt {
        guard var job = entries[post.id]?.job else { throw .notFound(post.id) }
        let isRunning = try job.take(post, limits: limits)
        put(job, journal: [post.journal])
        if isRunning {
            requests.append(RunRequest(id: post.id, journal: post.journal, number: job.lastPost))
        }
        return PostReceipt(job: job.record, number: job.lastPost, isRunning: isRunning)
    }

    mutating func wake(_ ids: some Collection<JobID>, at now: Timestamp) -> Int {
        var count = 0
        for id in ids {
            guard var job = entries[id]?.job else { continue }
            let posts = job.posts
            let isWoken = job.wake(at: now)
            if isWoken || job.posts != posts { put(job) }
            if isWoken { count += 1 }
        }
        return count
    }

    mutating func wake(key: String, limit: Int, at now: Timestamp) -> WakeReceipt {
        let ids = (wakes[key] ?? []).sorted().prefix(limit)
        wakes[key]?.subtract(ids)
        return WakeReceipt(woken: wake(ids, at: now), isMore: ids.count == limit)
    }

    /// Stores the wake keys of a suspended job.
    mutating func keep(_ wakeKeys: [String], of job: inout StoredJob) {
        let id = job.record.id
        if job.flags.contains(.wake) {
            for key in wakes.keys { wakes[key]?.remove(id) }
            job.flags.remove(.wake)
        }
        for key in wakeKeys {
            wakes[key, default: []].insert(id)
            job.flags.insert(.wake)
        }
    }

    /// Records the exclusive keys that a run took and released.
    mutating func note(taken: [ExclusiveHold], freed: [String], of job: inout StoredJob) {
        for key in freed.map({ ByteKey($0) }) where holds[key]?.job == job.record.id { holds[key] = nil }
        for hold in taken {
            holds[ByteKey(hold.key)] = hold
            job.flags.insert(.hold)
        }
    }

    /// Removes the data of an ended job.
    mutating func removeRows(of job: StoredJob) {
        if job.flags.contains(.wake) {
            for key in wakes.keys { wakes[key]?.remove(job.record.id) }
        }
        if job.flags.contains(.hold) {
            freeKeys(of: job.record.id, at: job.record.finishedAt ?? job.record.createdAt)
        }
        if job.flags.contains(.approval), let end = job.record.finishedAt {
            withdrawApprovals(of: job.record.id, at: end)
        }
        if job.hasCallback {
            ends[job.number] = JobEnd(id: job.record.id, revision: job.record.revision)
        }
    }
}
