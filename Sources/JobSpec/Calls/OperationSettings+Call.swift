internal import HTTPMessage
package import JobKit

extension OperationSettings {
    /// The attempts of work that makes one call: their entries in the journal, the check of the origin, and the retry
    /// policy. An attempt with an unsafe method is made durable before its first byte is sent.
    /// - Parameters:
    ///   - retry: the retry policy.
    ///   - url: the URL of the next attempt; nil when it is not known in advance.
    ///   - repeats: the method of the failed attempt; default that of `call`.
    init(
        calling call: NetworkSpec, retry: RetrySpec,
        url: @escaping @Sendable (OperationContext) -> String?,
        repeats: (@Sendable () -> HTTPMethod)? = nil
    ) {
        let method = HTTPMethod(call.method) ?? .get
        let hasKey = call.idempotencyKey != nil
        self.init()
        attemptLabel = (call.method, call.url)
        attemptsMax = retry.attemptsMax
        startsDurably = call.isUnsafe(retry)
        origin = OriginRule(
            url: url, elapsedMax: retry.elapsedMax, heedsCoolDown: retry.respectsRetryAfter,
            pauseMax: retry.retryAfterMax)
        decideRetry = { error, situation in
            RetryDecision.decide(
                error: error, method: repeats?() ?? method, spec: retry, situation: situation,
                hasIdempotencyKey: hasKey)
        }
    }
}

extension NetworkSpec {
    /// Whether an attempt with an unknown delivery must not be repeated automatically.
    package func isUnsafe(_ retry: RetrySpec) -> Bool {
        let method = HTTPMethod(method) ?? .get
        return !method.isIdempotent && idempotencyKey == nil && !retry.repeatsUnsafeMethods
    }
}
