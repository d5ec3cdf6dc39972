internal import JobKit
internal import JobStore
internal import Synchronization

/// The progress of the jobs that other servers run, as they told it last.
final class OthersProgress: Sendable {
    private let jobs = Mutex<[JobID: JobProgress]>([:])
    private let count = Atomic<Int>(0)
    private static let jobsMax = 10_000

    func note(_ progress: JobProgress, of id: JobID) {
        change { jobs in
            if jobs.count >= Self.jobsMax { jobs = [:] }
            jobs[id] = progress
        }
    }

    /// Forgets jobs that run no more, or run elsewhere.
    func observe(_ changes: [JobChange]) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        change { jobs in for change in changes where !change.hasOnlyEntries { jobs[change.id] = nil } }
    }

    func progress(of id: JobID) -> JobProgress? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return jobs.withLock { $0[id] }
    }

    private func change(_ body: (inout [JobID: JobProgress]) -> Void) {
        jobs.withLock { jobs in
            body(&jobs)
            count.store(jobs.count, ordering: .relaxed)
        }
    }
}
