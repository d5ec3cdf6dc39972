import Synchronization

/// The number of durations below each of some limits, for quantiles over any period.
final class LatencyHistogram: Sendable {
    private struct Counts {
        /// The number of durations in each interval; the last has no limit.
        var intervals: [Int]
        var sum = Duration.zero
    }

    /// For the times of requests and of the store.
    static let short: [Duration] = [
        250, 500, 1_000, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 50_000, 100_000, 250_000,
        500_000, 1_000_000, 5_000_000,
    ].map { .microseconds($0) }

    /// For the times of jobs, from milliseconds to days.
    static let long: [Duration] = [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400,
    ].map { .seconds($0) }

    let limits: [Duration]
    private let counts: Mutex<Counts>

    init(_ limits: [Duration] = LatencyHistogram.short) {
        self.limits = limits
        counts = Mutex(Counts(intervals: [Int](repeating: 0, count: limits.count + 1)))
    }

    func note(_ duration: Duration) {
        let place = limits.firstIndex { duration <= $0 } ?? limits.count
        counts.withLock { counts in
            counts.intervals[place] += 1
            counts.sum += duration
        }
    }

    /// The number of durations up to each limit, of all, and their sum.
    var read: (below: [Int], all: Int, sum: Duration) {
        let counts = counts.withLock { $0 }
        var below: [Int] = []
        var all = 0
        for count in counts.intervals {
            all += count
            below.append(all)
        }
        return (Array(below.dropLast()), all, counts.sum)
    }
}
