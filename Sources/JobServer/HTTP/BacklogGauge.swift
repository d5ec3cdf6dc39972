import Synchronization

// DESIGN
// It looks only when somebody submits. How many jobs end in a second says something about the server only while jobs
// wait all the time; that is certain when fewer ended since the last look than waited then. What ends while the queue
// runs empty, or between two bursts, says how much there was to do. As long as none ends nothing is measured, but that
// the rate is no more than one in that time.

/// Estimates how long a job that is submitted now would wait for its turn: by how many wait, and how many end in a
/// second.
final class BacklogGauge: Sendable {
    private struct Sample: Sendable {
        /// When it looked last.
        var lookedAt: ContinuousClock.Instant
        /// Since when it measures, how many jobs had ended then, and how many waited.
        var since: ContinuousClock.Instant
        var ended: Int
        var waiting = 0
        /// Jobs that end in a second; nil as long as that was not measured.
        var rate: Double?
        var wait = Duration.zero

        /// Takes in what was counted now.
        mutating func take(ended count: Int, waiting queued: Int, at now: ContinuousClock.Instant) {
            let elapsed = since.duration(to: now)
            let fresh = count - ended
            if fresh > 0 || waiting == 0 || queued == 0 {
                if fresh < waiting && queued > 0 {
                    measure(Double(fresh) / (elapsed / .seconds(1)), over: elapsed)
                }
                (since, ended, waiting) = (now, count, queued)
            } else if let known = rate {
                rate = min(known, .seconds(1) / elapsed)
            }
            lookedAt = now
            wait = rate.map { .seconds(Double(queued) / max($0, BacklogGauge.slowest)) } ?? .zero
        }

        private mutating func measure(_ fresh: Double, over elapsed: Duration) {
            guard let known = rate else { return rate = fresh }
            rate = known + (fresh - known) * min(1, BacklogGauge.weight * (elapsed / BacklogGauge.every))
        }
    }

    /// How often it looks, and how much a new look counts beside those before.
    private static let every = Duration.milliseconds(50)
    private static let weight = 0.2
    /// Jobs that end in a second, at least.
    private static let slowest = 0.01

    private let waiting: @Sendable () -> Int
    private let ended: @Sendable () -> Int
    private let sample: Mutex<Sample>

    /// - Parameters:
    ///   - waiting: how many jobs are runnable and wait.
    ///   - ended: how many jobs have ended so far.
    init(
        waiting: @escaping @Sendable () -> Int, ended: @escaping @Sendable () -> Int,
        now: ContinuousClock.Instant = .now
    ) {
        self.waiting = waiting
        self.ended = ended
        sample = Mutex(Sample(lookedAt: now, since: now, ended: ended()))
    }

    /// How long a job that is submitted now would wait.
    func wait(now: ContinuousClock.Instant = .now) -> Duration {
        sample.withLock { sample in
            if sample.lookedAt.duration(to: now) >= Self.every {
                sample.take(ended: ended(), waiting: waiting(), at: now)
            }
            return sample.wait
        }
    }
}
