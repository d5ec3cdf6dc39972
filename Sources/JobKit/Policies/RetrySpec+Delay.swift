extension RetrySpec {
    /// The wait before attempt `number` (from 2), with jitter. At most 366 days.
    /// - Parameters:
    ///   - number: the number of the attempt, from 2.
    ///   - spread: 0…1, the position in the jitter's range; random except in tests.
    public func delay(beforeAttempt number: Int, spread: Double = .random(in: 0...1)) -> Duration {
        let whole = max(.zero, backoff.wait(beforeAttempt: max(2, number)))
        switch jitter {
        case .none: return whole
        case .full: return whole * spread
        case .equal: return whole * (0.5 + spread / 2)
        }
    }
}

extension RetrySpec.Backoff {
    /// The longest wait: a year.
    private static let waitMax = Duration.seconds(366 * 86_400)
    /// A factor that takes each wait above a nanosecond to `waitMax` in few steps, and each wait to no trap.
    private static let factorMax = 1e12

    private static func bounded(_ wait: Duration) -> Duration { min(max(wait, .zero - waitMax), waitMax) }

    /// The wait before attempt `number` (from 2), without jitter. At most 366 days.
    package func wait(beforeAttempt number: Int) -> Duration {
        let step = min(max(0, number - 2), 1_000_000)
        switch self {
        case .fixed(let wait): return min(wait, Self.waitMax)
        case .linear(let initial, let increment, let most):
            return min(most, Self.waitMax, Self.bounded(initial) + Self.bounded(increment) * step)
        case .exponential(let initial, let factor, let most):
            let (most, factor) = (min(most, Self.waitMax), factor < Self.factorMax ? factor : Self.factorMax)
            var wait = min(most, Self.bounded(initial))
            for _ in 0..<step {
                let next = min(most, wait * factor)
                if next == wait { break }
                wait = next
            }
            return wait
        case .schedule(let waits):
            return waits.isEmpty ? .zero : min(waits[min(step, waits.count - 1)], Self.waitMax)
        }
    }
}
