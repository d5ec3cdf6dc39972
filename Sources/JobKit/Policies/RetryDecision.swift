public import HTTPMessage
internal import StrictJSON

/// The decision whether a failed call is retried.
///
/// Retryable are errors of connecting and timeouts, and the statuses 408, 425, 429, 500, 502, 503, 504 and those 5xx
/// without a defined meaning; statuses above 599 count as 5xx (RFC 9110 §15). A POST or PATCH is repeated only when
/// nothing was sent, when the answer declined the work (429, 503), when it has an idempotency key, or when the spec has
/// `"unsafe": true`.
public enum RetryDecision {
    /// The longest wait that an answer may ask a poll for.
    public static let retryAfterMax = Duration.seconds(3_600)

    /// Decides after an attempt that ended with `error`.
    public static func decide(
        error: AOperationError, method: HTTPMethod, spec: RetrySpec, situation: RetrySituation,
        hasIdempotencyKey: Bool
    ) -> RetryVerdict {
        if error.isCancelled { return .stop("cancelled") }
        if spec.heedsReceiverStop, error.upstream?.asksForNoRetry == true { return .stop("receiver") }
        guard spec.isWorthwhile(error) else { return .stop("policy") }
        guard situation.attempts < spec.attemptsMax else { return .stop("attempts") }
        guard method.isIdempotent || hasIdempotencyKey || spec.repeatsUnsafeMethods || isUndone(error) else {
            return .stop("unsafe_method")
        }
        return wait(after: error, spec, situation)
    }

    /// The wait before the next attempt, unless that would begin too late.
    private static func wait(
        after error: AOperationError, _ spec: RetrySpec, _ situation: RetrySituation
    ) -> RetryVerdict {
        var wait = spec.delay(beforeAttempt: situation.attempts + 1, spread: situation.spread)
        if spec.respectsRetryAfter, let retryAfter = error.upstream?.retryAfter(from: situation.now) {
            wait = max(wait, min(retryAfter, spec.retryAfterMax))
        }
        guard let most = spec.elapsedMax else { return .retry(after: wait) }
        let begins = situation.now.advanced(by: wait)
        return begins.since(situation.startedAt) > most ? .stop("budget") : .retry(after: wait)
    }

    /// Statuses of class 5 that will not be another one next time.
    private static let lastingStatuses: Set<Int> = [501, 505, 506, 507, 508, 510, 511]

    /// Whether an answer with this status is worth another attempt.
    package static func isWorthwhile(status: Int) -> Bool {
        switch status {
        case 408, 425, 429: true
        default: (500...999).contains(status) && !lastingStatuses.contains(status)
        }
    }

    /// Whether the upstream certainly did not act.
    private static func isUndone(_ error: AOperationError) -> Bool {
        if error.delivery == HTTPCallDelivery.notSent.rawValue { return true }
        return error.upstream.map { $0.status == 429 || $0.status == 503 } ?? false
    }
}

/// The state of a series of attempts after a failed one.
public struct RetrySituation: Sendable, Hashable {
    /// The number of attempts in the series.
    public var attempts: Int
    /// The start of the first attempt.
    public var startedAt: Timestamp
    /// The current time.
    public var now: Timestamp
    /// 0…1, where in the jitter's range the next wait lies.
    public var spread: Double

    /// A situation.
    public init(
        attempts: Int, startedAt: Timestamp, now: Timestamp, spread: Double = .random(in: 0...1)
    ) {
        self.attempts = attempts
        self.startedAt = startedAt
        self.now = now
        self.spread = spread
    }
}

/// The decision after a failed attempt.
public enum RetryVerdict: Sendable, Hashable {
    /// Try again after this long.
    case retry(after: Duration)
    /// No further attempt; with the reason: `attempts`, `budget`, `policy`, `unsafe_method`, `cancelled`, `breaker`,
    /// `receiver`.
    case stop(String)
}
