/// How an operation is tried again.
public struct RetrySpec: Sendable, Hashable {
    /// All attempts together, 1…100.
    public var attemptsMax: Int
    /// How long to wait between attempts.
    public var backoff: Backoff
    /// How the waits are spread.
    public var jitter: Jitter
    /// Whether POST and PATCH are repeated even when the other side may have acted (`"unsafe": true`).
    public var repeatsUnsafeMethods: Bool

    /// How long to wait; the first value is the wait before attempt 2.
    public enum Backoff: Sendable, Hashable {
        case fixed(Duration)
        case linear(initial: Duration, step: Duration, max: Duration)
        case exponential(initial: Duration, factor: Double, max: Duration)
        /// The listed waits; the last one repeats.
        case schedule([Duration])
    }

    /// How waits are spread so that many do not come back at once.
    public enum Jitter: String, Sendable, Hashable, CaseIterable {
        /// Anywhere from zero to the wait.
        case full
        /// Anywhere from half the wait to the wait.
        case equal
        /// Exactly the wait.
        case none
    }

    /// A retry rule.
    public init(
        attemptsMax: Int,
        backoff: Backoff = .exponential(initial: .seconds(1), factor: 2, max: .seconds(300)),
        jitter: Jitter = .full, repeatsUnsafeMethods: Bool = false
    ) {
        self.attemptsMax = attemptsMax
        self.backoff = backoff
        self.jitter = jitter
        self.repeatsUnsafeMethods = repeatsUnsafeMethods
    }

    /// Five attempts, exponential from 1 s to 5 min, full jitter: what calls do unless told otherwise.
    public static let standard = RetrySpec(attemptsMax: 5)
    /// One attempt.
    public static let once = RetrySpec(attemptsMax: 1)
}
