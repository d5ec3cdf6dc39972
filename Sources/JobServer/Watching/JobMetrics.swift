import JobKit
import JobStore
import Synchronization

/// Counters and times of jobs and their attempts.
final class JobMetrics: Sendable {
    /// The maximum number of queues with counts of their own; others are counted together.
    static let queuesMax = 100
    /// The name under which other queues are counted, which no queue can have.
    static let otherQueues = "_other"

    private struct Counts {
        var ends: [String: [JobState: Int]] = [:]
        var attempts: [AttemptRecord.Outcome: Int] = [:]
    }

    private let counts = Mutex(Counts())
    /// The times from the moment at which jobs could start to their start.
    let startDelays = LatencyHistogram(LatencyHistogram.long)
    /// The times from the start of jobs to their end, with all waits.
    let runs = LatencyHistogram(LatencyHistogram.long)

    /// Counts the end of a job.
    /// - Parameter duration: the time since its start; nil when it was not started.
    func countEnd(in queue: String, _ state: JobState, after duration: Duration?) {
        if let duration { runs.note(max(.zero, duration)) }
        counts.withLock { counts in
            let isKnown = counts.ends[queue] != nil || counts.ends.count < Self.queuesMax
            counts.ends[isKnown ? queue : Self.otherQueues, default: [:]][state, default: 0] += 1
        }
    }

    /// Counts the ends in a commit.
    func countEnds(in changes: [JobChange]) {
        for change in changes where !change.hasOnlyEntries {
            guard let record = change.ended?.record else { continue }
            countEnd(
                in: record.queue, record.state,
                after: record.startedAt.flatMap { start in record.finishedAt.map { $0.since(start) } })
        }
    }

    /// Counts the end of an attempt.
    func countAttempt(_ outcome: AttemptRecord.Outcome) {
        counts.withLock { $0.attempts[outcome, default: 0] += 1 }
    }

    /// The number of ended jobs by queue and state, in the order of the names of queues.
    var ends: [(queue: String, states: [JobState: Int])] {
        counts.withLock { $0.ends }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func attempts(_ outcome: AttemptRecord.Outcome) -> Int { counts.withLock { $0.attempts[outcome] ?? 0 } }
}
