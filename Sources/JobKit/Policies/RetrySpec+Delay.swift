extension RetrySpec {
    /// The wait before attempt `number` (from 2), with jitter. At most 366 days.
    /// - Parameters:
    ///   - number: the number of the attempt, from 2.
    ///   - spread: 0…1, the position in the jitter's range; random except in tests.
    public func delay(beforeAttempt number: Int, spread: Double = .random(in: 0...1)) -> Duration {
        let whole = min(max(.zero, backoff.wait(beforeAttempt: max(2, number))), .seconds(366 * 86_400))
        switch jitter {
        case .none: return whole
        case .full: return whole * spread
        case .equal: return whole * (0.5 + spread / 2)
        }
    }
}

extension RetrySpec.Backoff {
    /// The wait before attempt `number` (from 2), without jitter.
    package func wait(beforeAttempt number: Int) -> Duration {
        let step = number - 2
        switch self {
        case .fixed(let wait): return wait
        case .linear(let initial, let increment, let max): return min(max, initial + increment * step)
        case .exponential(let initial, let factor, let max):
            var wait = initial
            for _ in 0..<step where wait < max { wait = min(max, wait * factor) }
            return min(max, wait)
        case .schedule(let waits): return waits.isEmpty ? .zero : waits[min(step, waits.count - 1)]
        }
    }
}
