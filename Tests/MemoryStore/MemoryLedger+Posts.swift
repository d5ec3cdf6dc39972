import JobKit
import JobStore
import StrictJSON

extension MemoryLedger {
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
