import Synchronization

// DESIGN
// The gauge samples only when a job is submitted. The rate at which jobs end measures the capacity of the server only
// while jobs are always waiting; that is certain when fewer ended since the last sample than were waiting then. Jobs
// that end while the queue runs empty, or between two bursts, measure the demand instead. While no job ends, the only
// information is an upper bound: less than one job in that time.

/// Estimates the queue time of a job submitted now, from the number of waiting jobs and the rate at which jobs end.
final class BacklogGauge: Sendable {
    private struct Sample: Sendable {
        /// The time of the last sample.
        var lookedAt: ContinuousClock.Instant
        /// The start of the measurement, with the ended and waiting jobs at that time.
        var since: ContinuousClock.Instant
        var ended: Int
        var waiting = 0
        /// Jobs that end per second; nil until first measured.
        var rate: Double?
        var wait = Duration.zero

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

    /// The sampling interval, and the weight of one interval in the moving average.
    private static let every = Duration.milliseconds(50)
    private static let weight = 0.2
    /// The lower bound of the rate, in jobs per second.
    private static let slowest = 0.01

    private let waiting: @Sendable () -> Int
    private let ended: @Sendable () -> Int
    private let sample: Mutex<Sample>

    /// - Parameters:
    ///   - waiting: the number of runnable jobs that wait.
    ///   - ended: the number of jobs that have ended so far.
    init(
        waiting: @escaping @Sendable () -> Int, ended: @escaping @Sendable () -> Int,
        now: ContinuousClock.Instant = .now
    ) {
        self.waiting = waiting
        self.ended = ended
        sample = Mutex(Sample(lookedAt: now, since: now, ended: ended()))
    }

    /// The estimated queue time of a job submitted now.
    func wait(now: ContinuousClock.Instant = .now) -> Duration {
        sample.withLock { sample in
            if sample.lookedAt.duration(to: now) >= Self.every {
                sample.take(ended: ended(), waiting: waiting(), at: now)
            }
            return sample.wait
        }
    }
}
