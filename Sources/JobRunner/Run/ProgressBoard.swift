internal import JobKit
internal import JobStore
internal import Synchronization

/// The progress of the jobs that run here.
final class ProgressBoard: Sendable {
    private let jobs = Mutex<[JobID: [[String]: OperationProgress]]>([:])
    private let count = Atomic<Int>(0)

    /// Records the progress of an operation.
    func note(_ progress: OperationProgress, of path: [String], in id: JobID) {
        jobs.withLock { jobs in
            jobs[id, default: [:]][path] = progress
            count.store(jobs.count, ordering: .relaxed)
        }
    }

    /// Removes a job that does not run any more.
    func forget(_ id: JobID) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        jobs.withLock { jobs in
            jobs[id] = nil
            count.store(jobs.count, ordering: .relaxed)
        }
    }

    /// The progress of a job: the sum over its operations; nil when none reports any. Cheap when no job does.
    func progress(of id: JobID) -> JobProgress? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return jobs.withLock { $0[id] }.flatMap { JobProgress(Array($0.values)) }
    }
}
