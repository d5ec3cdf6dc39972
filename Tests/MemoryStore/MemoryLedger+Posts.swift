import JobKit
import JobStore
import StrictJSON

extension MemoryLedger {
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
            let (id, end) = (job.record.id, job.record.finishedAt ?? job.record.createdAt)
            within { $0.freeKeys(of: id, at: end) }
        }
        if job.flags.contains(.approval), let end = job.record.finishedAt {
            withdrawApprovals(of: job.record.id, at: end)
        }
        if job.hasCallback {
            ends[job.number] = JobEnd(id: job.record.id, revision: job.record.revision)
        }
    }
}
