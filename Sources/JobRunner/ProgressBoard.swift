internal import JobKit
internal import JobStore
internal import Synchronization

/// The progress of the jobs that run here.
final class ProgressBoard: Sendable {
    private struct Table {
        var jobs: [JobID: [[String]: OperationProgress]] = [:]
        /// The last result of `news`.
        var told: [JobID: JobProgress] = [:]
    }

    private let table = Mutex(Table())
    private let count = Atomic<Int>(0)

    /// Records the progress of an operation.
    func note(_ progress: OperationProgress, of path: [String], in id: JobID) {
        table.withLock { table in
            table.jobs[id, default: [:]][path] = progress
            count.store(table.jobs.count, ordering: .relaxed)
        }
    }

    /// Removes a job that does not run any more.
    func forget(_ id: JobID) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        table.withLock { table in
            table.jobs[id] = nil
            table.told[id] = nil
            count.store(table.jobs.count, ordering: .relaxed)
        }
    }

    /// The progress of a job: the sum over its operations; nil when none reports any. Cheap when no job does.
    func progress(of id: JobID) -> JobProgress? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return table.withLock { $0.jobs[id] }.flatMap { JobProgress(Array($0.values)) }
    }

    /// The progress of the jobs that made some since the last call.
    func news() -> [(JobID, JobProgress)] {
        guard count.load(ordering: .relaxed) > 0 else { return [] }
        return table.withLock { table in
            var news: [(JobID, JobProgress)] = []
            for (id, parts) in table.jobs {
                guard let progress = JobProgress(Array(parts.values)), table.told[id] != progress else {
                    continue
                }
                table.told[id] = progress
                news.append((id, progress))
            }
            return news
        }
    }
}
