/// The decision after a failed attempt.
public enum RetryVerdict: Sendable, Hashable {
    /// Try again after this long.
    case retry(after: Duration)
    /// No further attempt; with the reason: `attempts`, `budget`, `policy`, `unsafe_method`, `cancelled`, `breaker`,
    /// `receiver`.
    case stop(String)
}
