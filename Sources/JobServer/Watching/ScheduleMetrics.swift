import JobStore
import Synchronization

/// Counters of the planned times of schedules.
final class ScheduleMetrics: Sendable {
    private struct Counts {
        var jobs = 0
        var skipped: [Occurrence.Reason: Int] = [:]
    }

    private let counts = Mutex(Counts())

    func count(_ occurrences: [Occurrence]) {
        counts.withLock { counts in
            for occurrence in occurrences {
                switch occurrence.outcome {
                case .job: counts.jobs += 1
                case .skipped(let reason, _): counts.skipped[reason, default: 0] += 1
                }
            }
        }
    }

    var jobs: Int { counts.withLock { $0.jobs } }

    func skipped(_ reason: Occurrence.Reason) -> Int { counts.withLock { $0.skipped[reason] ?? 0 } }
}
