import JobKit
import JobSpec
import JobStore
import MemoryStore

extension SimulatedStore: JobStore {
    func perform<Asked: StoreWrite>(_ asked: Asked, reply: @escaping StoreReply<Asked.Reply>) {
        let (watcher, retried) = (disk.watcher, RetriedJobs())
        let asked = (asked as? BulkStep).flatMap { watched($0, retried) as? Asked } ?? asked
        write("\(Asked.self)", reply) { store, reply in
            if let retry = asked as? JobRetry { watcher?.mayLeaveFinal(retry.id) }
            if let erasure = asked as? JobErasure { watcher?.mayLeaveFinal(erasure.id) }
            store.perform(asked, reply: reply)
        } noted: { value in
            if let retry = asked as? JobRetry { watcher?.retried(retry.id) }
            for result in (value as? BulkReceipt)?.results ?? []
            where result.outcome == .done && retried.ids.contains(result.job) {
                watcher?.retried(result.job)
            }
        }
    }

    /// The step, whose decisions the watcher sees.
    private func watched(_ step: BulkStep, _ retried: RetriedJobs) -> BulkStep {
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
        return watched
    }

    func submit(_ job: NewJob, reply: @escaping StoreReply<SubmitOutcome>) {
        write("submit", reply) { $0.submit(job, reply: $1) }
    }

    func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping StoreReply<BatchOutcome>
    ) {
        write("submit many", reply) { $0.submit(jobs, isAtomic: isAtomic, isFollowed: isFollowed, reply: $1) }
    }

    func claim(_ request: ClaimRequest, reply: @escaping StoreReply<[Claim]>) {
        let watcher = disk.watcher
        write("claim", reply) {
            $0.claim(request, reply: $1)
        } noted: { [side] in
            watcher?.claimed($0, by: request.owner)
            side?.claims += $0.map(\.key)
        }
    }

    func update(_ update: RunUpdate, reply: @escaping StoreReply<Int64>) {
        let watcher = disk.watcher
        write("update", of: update.claim, reply) {
            $0.update(update, reply: $1)
        } noted: { _ in
            watcher?.updated(update)
        }
    }

    /// Records are not read in simulations.
    func auditing(_ draft: AuditDraft) -> any JobStore { self }

    func look<Look: QueueLook>(_ look: Look, reply: @escaping StoreReply<Look.Answer>) {
        write("\(Look.self)", reply) { $0.look(look, reply: $1) }
    }

    var settingsVersion: Int64 { disk.truth.settingsVersion }

    func makeReader() throws(JobStoreError) -> any JobReader { try disk.truth.makeReader() }
}

/// The jobs that a step of a bulk action retries.
// Safe because everything of a simulation happens on one thread.
private final class RetriedJobs: @unchecked Sendable {
    var ids: Set<JobID> = []
}
