internal import JobKit
internal import JobStore
internal import Synchronization

/// The progress of the jobs that other servers run, as they told it last.
final class OthersProgress: Sendable {
    private let jobs = Mutex<[JobID: LiveProgress]>([:])
    private let count = Atomic<Int>(0)
    private static let jobsMax = 10_000

    func note(_ progress: JobProgress, of id: JobID) {
        note(LiveProgress(reported: progress, operations: nil), of: id)
    }

    func note(_ counts: OperationCounts, of id: JobID) {
        note(LiveProgress(reported: nil, operations: counts), of: id)
    }

    /// Replaces what is told anew.
    private func note(_ news: LiveProgress?, of id: JobID) {
        guard let news else { return }
        change { jobs in
            if jobs.count >= Self.jobsMax { jobs = [:] }
            let old = jobs[id]
            jobs[id] = LiveProgress(
                reported: news.reported ?? old?.reported, operations: news.operations ?? old?.operations)
        }
    }

    /// Forgets jobs that run no more, or run elsewhere.
    func observe(_ changes: [JobChange]) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        change { jobs in for change in changes where !change.hasOnlyEntries { jobs[change.id] = nil } }
    }

    func progress(of id: JobID) -> LiveProgress? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return jobs.withLock { $0[id] }
    }

    private func change(_ body: (inout [JobID: LiveProgress]) -> Void) {
        jobs.withLock { jobs in
            body(&jobs)
            count.store(jobs.count, ordering: .relaxed)
        }
    }
}
