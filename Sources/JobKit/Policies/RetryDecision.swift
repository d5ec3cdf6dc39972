public import HTTPMessage
internal import StrictJSON

/// Whether a failed call is tried again.
///
/// Worth another attempt are errors of connecting and of clocks, and the statuses 408, 425, 429 and 5xx other than
/// 501, 505 and 511. A POST or PATCH is repeated only when nothing was sent, when the answer declined the work (429,
/// 503), when it carries an idempotency key, or when the spec says `"unsafe": true`.
public enum RetryDecision {
    /// The longest `Retry-After` that is respected.
    public static let retryAfterMax = Duration.seconds(3_600)

    /// What to do after `attempt` attempts, the last of which ended with `error`.
    /// - Parameter now: the wall time, for a `Retry-After` that is a date.
    public static func decide(
        error: AOperationError, method: HTTPMethod, spec: RetrySpec, attempt: Int, hasIdempotencyKey: Bool,
        now: Timestamp
    ) -> RetryVerdict {
        if error.isCancelled { return .stop("cancelled") }
        guard error.retryable else { return .stop("policy") }
        guard attempt < spec.attemptsMax else { return .stop("attempts") }
        guard method.isIdempotent || hasIdempotencyKey || spec.repeatsUnsafeMethods || isUndone(error) else {
            return .stop("unsafe_method")
        }
        let wait = spec.delay(beforeAttempt: attempt + 1)
        guard let asked = retryAfter(error, now) else { return .retry(after: wait) }
        return .retry(after: max(wait, min(asked, retryAfterMax)))
    }

    /// Whether an answer with this status is worth another attempt.
    static func isWorthwhile(status: Int) -> Bool {
        switch status {
        case 408, 425, 429: true
        case 501, 505, 511: false
        default: (500...599).contains(status)
        }
    }

    /// Whether the other side certainly did not act.
    private static func isUndone(_ error: AOperationError) -> Bool {
        if error.delivery == HTTPCallDelivery.notSent.rawValue { return true }
        return error.upstream.map { $0.status == 429 || $0.status == 503 } ?? false
    }

    private static func retryAfter(_ error: AOperationError, _ now: Timestamp) -> Duration? {
        guard let text = error.upstream?.headers["retry-after"]?.string else { return nil }
        let now = HTTPDate(secondsSince1970: now.milliseconds / 1_000)
        return RetryAfter(text, now: now)?.delay(from: now)
    }
}
