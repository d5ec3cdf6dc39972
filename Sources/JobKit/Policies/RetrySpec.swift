/// The retry policy of an operation.
public struct RetrySpec: Sendable, Hashable {
    /// The limit of attempts, 1…100.
    public var attemptsMax: Int
    /// The waits between attempts.
    public var backoff: Backoff
    /// The randomization of waits.
    public var jitter: Jitter
    /// Whether POST and PATCH are repeated even when the upstream may have acted (`"unsafe": true`).
    public var repeatsUnsafeMethods: Bool
    /// The errors that are tried again; nil takes those that may pass by their nature (`AOperationError.retryable`).
    public var errors: [RetryMatcher]?
    /// The errors that are never retried, even if `errors` matches. Default none.
    public var never: [RetryMatcher] = []
    /// No attempt begins later than this after the first one began; nil is no such end. Default 24 h.
    public var elapsedMax: Duration? = .seconds(86_400)
    /// Whether to wait as long as an answer requests (`Retry-After`, `RateLimit`). Default true.
    public var respectsRetryAfter = true
    /// The longest wait that an answer may ask for; a longer one counts as this. Default 1 h.
    public var retryAfterMax: Duration = .seconds(3_600)
    /// Whether an answer may say that there is to be no further attempt (`Job-Retry: never`, or a problem with
    /// `"retryable": false`). Default true.
    public var heedsReceiverStop = true

    /// The growth of the waits; the first value is the wait before attempt 2.
    public enum Backoff: Sendable, Hashable {
        /// The same wait each time.
        case fixed(Duration)
        /// `initial`, then `step` more each time, up to `max`.
        case linear(initial: Duration, step: Duration, max: Duration)
        /// `initial`, then `factor` times the wait before, up to `max`.
        case exponential(initial: Duration, factor: Double, max: Duration)
        /// The listed waits; the last one repeats.
        case schedule([Duration])
    }

    /// The randomization of waits, so that many operations do not resume at the same time.
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

    /// The default of calls: five attempts, exponential from 1 s to 5 min, full jitter.
    public static let standard = RetrySpec(attemptsMax: 5)
    /// One attempt.
    public static let once = RetrySpec(attemptsMax: 1)

    /// Whether this error is worth another attempt, by its kind alone.
    public func isWorthwhile(_ error: AOperationError) -> Bool {
        if never.contains(where: { $0.matches(error) }) { return false }
        return errors.map { $0.contains { $0.matches(error) } } ?? error.retryable
    }
}
