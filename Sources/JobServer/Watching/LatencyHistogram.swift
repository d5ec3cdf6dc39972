import Synchronization

/// The number of durations below each of some limits, for quantiles over any period.
final class LatencyHistogram: Sendable {
    private struct Counts {
        var below = [Int](repeating: 0, count: LatencyHistogram.limits.count)
        var all = 0
        var sum = Duration.zero
    }

    /// In microseconds.
    static let limits = [
        250, 500, 1_000, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 50_000, 100_000, 250_000,
        500_000, 1_000_000, 5_000_000,
    ]

    private let counts = Mutex(Counts())

    func note(_ duration: Duration) {
        counts.withLock { counts in
            for (place, limit) in Self.limits.enumerated() where duration <= .microseconds(limit) {
                counts.below[place] += 1
            }
            counts.all += 1
            counts.sum += duration
        }
    }

    /// The numbers of durations up to each limit, of all, and their sum.
    var read: (below: [Int], all: Int, sum: Duration) {
        counts.withLock { ($0.below, $0.all, $0.sum) }
    }
}
