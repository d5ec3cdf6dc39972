internal import HTTPMessage
internal import StrictJSON

/// The retry hints of an answer.
extension AOperationError.Upstream {
    /// The requested pause; nil without one.
    func retryAfter(from now: Timestamp) -> Duration? {
        RetryRequest.delay(from: now) { headers[$0]?.string }
    }

    /// Whether the answer forbids further attempts: the field `Job-Retry: never`, or a problem
    /// (RFC 9457) whose member `retryable` is false.
    var asksForNoRetry: Bool {
        if headers["job-retry"]?.string?.lowercased() == "never" { return true }
        guard let type = headers["content-type"]?.string, let text = bodyExcerpt,
            MediaType(type)?.essence == "application/problem+json",
            case .object(let problem)? = try? JSONParser.parse(Array(text.utf8))
        else { return false }
        return problem["retryable"] == .bool(false)
    }
}
