import JobKit
import JobStore
import MemoryStore

extension SimulatedStore {
    func create(
        _ bulk: BulkRecord, of ids: [JobID],
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) {
        write("create a bulk action", reply) { $0.create(bulk, of: ids, reply: $1) }
    }

    func advance(_ step: BulkStep, reply: @escaping @Sendable (Result<BulkReceipt, JobStoreError>) -> Void) {
        let retried = RetriedJobs()
        let (watcher, decide) = (disk.watcher, step.decide)
        var watched = step
        watched.decide = { job in
            let verdict = decide(job)
            switch verdict {
            case .retry:
                watcher?.mayLeaveFinal(job.id)
                retried.ids.insert(job.id)
            case .erase: watcher?.mayLeaveFinal(job.id)
            default: break
            }
            return verdict
        }
        write("advance a bulk action", reply) { [watched] store, reply in
            store.advance(watched, reply: reply)
        } noted: { receipt in
            for result in receipt.results where result.outcome == .done && retried.ids.contains(result.job) {
                watcher?.retried(result.job)
            }
        }
    }

    func stopBulk(
        _ id: BulkID, by: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) {
        write("stop a bulk action", reply) { $0.stopBulk(id, by: by, at: now, reply: $1) }
    }

    func removeBulks(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        write("remove bulk actions", reply) { $0.removeBulks(before: time, limit: limit, reply: $1) }
    }
}

/// The jobs that a step of a bulk action retries.
// Safe because everything of a simulation happens on one thread.
private final class RetriedJobs: @unchecked Sendable {
    var ids: Set<JobID> = []
}
