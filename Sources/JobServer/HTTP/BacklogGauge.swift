import Synchronization

/// Estimates how long a job that is submitted now would wait for its turn: by how many wait, and how many end in a
/// second.
final class BacklogGauge: Sendable {
    private struct Sample: Sendable {
        var at: ContinuousClock.Instant
        var ended: Int
        /// Jobs that end in a second; nil as long as none did.
        var rate: Double?
        var wait = Duration.zero
    }

    /// How often it looks, and how much a new look counts beside those before.
    private static let every = Duration.milliseconds(50)
    private static let weight = 0.2

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
        sample = Mutex(Sample(at: now, ended: ended()))
    }

    /// How long a job that is submitted now would wait.
    func wait(now: ContinuousClock.Instant = .now) -> Duration {
        sample.withLock { sample in
            let elapsed = sample.at.duration(to: now)
            guard elapsed >= Self.every else { return sample.wait }
            let count = ended()
            let fresh = Double(count - sample.ended) / (elapsed / .seconds(1))
            if let rate = sample.rate {
                sample.rate = rate + (fresh - rate) * min(1, Self.weight * (elapsed / Self.every))
            } else if fresh > 0 {
                sample.rate = fresh
            }
            sample.at = now
            sample.ended = count
            let queued = waiting()
            sample.wait = sample.rate.map { .seconds(Double(queued) / max($0, 0.01)) } ?? .zero
            return sample.wait
        }
    }
}
