import JobKit
import JobStore
import Synchronization

/// Counters of the jobs of bulk actions, and how many are left.
final class BulkMetrics: Sendable {
    private struct Counts {
        var settled: [BulkResult.Outcome: Int] = [:]
        /// The number of jobs that each running bulk action has left.
        var left: [BulkID: Int] = [:]
    }

    private let counts = Mutex(Counts())

    func note(_ bulk: BulkRecord, _ results: [BulkResult]) {
        counts.withLock { counts in
            for result in results { counts.settled[result.outcome, default: 0] += 1 }
            counts.left[bulk.id] = bulk.state == .running ? bulk.total - bulk.settled : nil
        }
    }

    func settled(_ outcome: BulkResult.Outcome) -> Int { counts.withLock { $0.settled[outcome] ?? 0 } }

    /// The number of bulk actions that are running, and of the jobs that they have left.
    var running: (count: Int, jobs: Int) {
        counts.withLock { ($0.left.count, $0.left.values.reduce(0, +)) }
    }
}
