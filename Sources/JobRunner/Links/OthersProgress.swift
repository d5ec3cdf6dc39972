internal import JobKit
internal import JobStore
internal import Synchronization

/// The progress of the jobs that other servers run and that clients ask about, as these servers told it last.
final class OthersProgress: Sendable {
    private struct Job {
        var progress: LiveProgress?
        /// The uptime at which its server was asked last.
        var askedAt = Duration.zero
    }

    private let jobs = Mutex<[JobID: Job]>([:])
    private let count = Atomic<Int>(0)
    private static let jobsMax = 10_000
    /// The time for which a server tells the progress of a job after a question, and between two questions.
    static let (watchedFor, askedEach) = (Duration.seconds(15), Duration.seconds(5))

    /// Notes that a client asks about a job.
    /// - Returns: whether its server is to be asked.
    func watch(_ id: JobID, at uptime: Duration) -> Bool {
        change { jobs in
            if let job = jobs[id], uptime - job.askedAt < Self.askedEach { return false }
            if jobs.count >= Self.jobsMax { jobs = [:] }
            jobs[id, default: Job()].askedAt = uptime
            return true
        }
    }

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
            let old = jobs[id]?.progress
            jobs[id, default: Job()].progress = LiveProgress(
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
        return jobs.withLock { $0[id]?.progress }
    }

    private func change<Value: Sendable>(_ body: (inout [JobID: Job]) -> Value) -> Value {
        jobs.withLock { jobs in
            defer { count.store(jobs.count, ordering: .relaxed) }
            return body(&jobs)
        }
    }
}
