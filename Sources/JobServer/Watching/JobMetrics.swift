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

    /// Counts the ends in a commit of this server. Changes of other servers carry no records, so that each end is
    /// counted by one server.
    func countEnds(in changes: [JobChange]) {
        // By their places: a copy of each change would cost more than to count it.
        for place in changes.indices {
            guard !changes[place].hasOnlyEntries, let record = changes[place].ended?.record else { continue }
            if let start = record.startedAt, let end = record.finishedAt {
                runs.note(max(.zero, end.since(start)))
            }
            counts.withLock { counts in
                let isKnown = counts.ends[record.queue] != nil || counts.ends.count < Self.queuesMax
                let name = isKnown ? record.queue : Self.otherQueues
                counts.ends[name, default: [:]][record.state, default: 0] += 1
            }
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
