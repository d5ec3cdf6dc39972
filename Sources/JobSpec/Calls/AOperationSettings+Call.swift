internal import HTTPMessage
package import JobKit

extension AOperationSettings {
    /// How work that makes one call is noted, gated by its origin and tried again. An attempt of a method that must not
    /// be repeated by itself is made durable before its first byte is sent.
    /// - Parameters:
    ///   - retry: when and how often it is tried again.
    ///   - url: what the next attempt calls; nil when it is not known before.
    ///   - repeats: the method of the attempt that failed; default that of `call`.
    init(
        calling call: NetworkSpec, retry: RetrySpec,
        url: @escaping @Sendable (AOperationContext) -> String?,
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
    /// Whether nobody may repeat an attempt by itself of which it is not known whether it arrived.
    package func isUnsafe(_ retry: RetrySpec) -> Bool {
        let method = HTTPMethod(method) ?? .get
        return !method.isIdempotent && idempotencyKey == nil && !retry.repeatsUnsafeMethods
    }
}
