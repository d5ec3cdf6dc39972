internal import JobKit
internal import StrictJSON

extension RetrySpec {
    /// The rule in the words of the spec.
    var members: [(name: String, value: JSONValue)] {
        [
            ("max_attempts", .number(JSONNumber(Int64(attemptsMax)))), ("backoff", backoff.json),
            ("jitter", .string(jitter.rawValue)),
            ("errors", errors.map { .array($0.map(\.json)) } ?? .null), ("never", .array(never.map(\.json))),
            ("max_elapsed", elapsedMax.map { .string(DurationText.text($0)) } ?? .null),
            ("respect_retry_after", .bool(respectsRetryAfter)),
            ("max_retry_after", .string(DurationText.text(retryAfterMax))),
            ("receiver_stop", .bool(heedsReceiverStop)), ("unsafe", .bool(repeatsUnsafeMethods)),
        ]
    }
}

extension RetryMatcher {
    fileprivate var json: JSONValue {
        if case .status(let status) = self { return .number(JSONNumber(Int64(status))) }
        return .string(description)
    }
}

extension RetrySpec.Backoff {
    fileprivate var json: JSONValue {
        func text(_ length: Duration) -> JSONValue { .string(DurationText.text(length)) }
        return switch self {
        case .fixed(let wait): ["type": "fixed", "initial": text(wait)]
        case .linear(let initial, let step, let max):
            ["type": "linear", "initial": text(initial), "step": text(step), "max": text(max)]
        case .exponential(let initial, let factor, let max):
            [
                "type": "exponential", "initial": text(initial),
                "factor": JSONNumber(factor).map(JSONValue.number) ?? .null, "max": text(max),
            ]
        case .schedule(let waits): ["type": "schedule", "schedule": .array(waits.map(text))]
        }
    }
}
