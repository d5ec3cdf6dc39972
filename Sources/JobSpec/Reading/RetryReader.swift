internal import JobKit
internal import StrictJSON

/// Reads how calls are tried again.
enum RetryReader {
    /// - Parameter hasOwnErrors: whether the operation may fail with errors of other families than the built-in ones.
    static func members(
        _ value: JSONValue, hasOwnErrors: Bool = false, _ reading: inout SpecReading
    ) -> RetryMembers {
        var retry = RetryMembers()
        if let attempts = Self.attempts(value) {
            reading.wrongType(value, "an object", suggestion: "{\"max_attempts\": \(attempts)}")
            return retry
        }
        reading.members(of: value, "retry", known: Self.retryNames) { reading, name, value in
            retryMember(name, value, of: &retry, hasOwnErrors, &reading)
        }
        return retry
    }

    /// The number of attempts meant by a value other than an object; nil when it is unclear.
    private static func attempts(_ value: JSONValue) -> Int? {
        switch value {
        case .number(let number): number.int
        case .bool(let isRepeated): isRepeated ? 5 : 1
        case .array: 3
        case .string(let text): ["none", "never", "no", "off"].contains(text.lowercased()) ? 1 : Int(text)
        default: nil
        }
    }

    private static let retryNames = [
        "max_attempts", "backoff", "jitter", "errors", "never", "max_elapsed", "respect_retry_after",
        "max_retry_after", "receiver_stop", "unsafe",
    ]

    private static func retryMember(
        _ name: String, _ value: JSONValue, of retry: inout RetryMembers, _ hasOwnErrors: Bool,
        _ reading: inout SpecReading
    ) -> Bool {
        switch name {
        case "max_attempts":
            retry.set(name, reading.int(value, in: 1...reading.limits.attemptsMax)) { $0.attemptsMax = $1 }
        case "backoff": retry.set(name, BackoffReader.backoff(value, &reading)) { $0.backoff = $1 }
        case "jitter": retry.set(name, reading.word(value)) { $0.jitter = $1 }
        case "errors":
            if !value.isNull { retry.set(name, matchers(value, hasOwnErrors, &reading)) { $0.errors = $1 } }
        case "never": retry.set(name, matchers(value, hasOwnErrors, &reading)) { $0.never = $1 }
        case "max_elapsed":
            retry.set(name, reading.interval(value, atMost: reading.limits.waitMax)) { $0.elapsedMax = $1 }
        case "respect_retry_after": retry.set(name, reading.bool(value)) { $0.respectsRetryAfter = $1 }
        case "max_retry_after":
            retry.set(name, reading.interval(value, atMost: reading.limits.waitMax)) { $0.retryAfterMax = $1 }
        case "receiver_stop": retry.set(name, reading.bool(value)) { $0.heedsReceiverStop = $1 }
        case "unsafe": retry.set(name, reading.bool(value)) { $0.repeatsUnsafeMethods = $1 }
        default: return false
        }
        return true
    }

    /// The limit of entries in `errors` and in `never`.
    private static let matchersMax = 50
    private static let families = [
        "dns", "connect", "tls", "proxy", "http", "body", "expect", "timeout", "egress", "auth", "artifact",
        "secret", "connection", "poll", "reference", "template", "transform", "internal", "storage",
    ]

    /// Errors by code, family, status or class of statuses.
    private static func matchers(
        _ value: JSONValue, _ hasOwnErrors: Bool, _ reading: inout SpecReading
    ) -> [RetryMatcher]? {
        var found: [RetryMatcher] = []
        reading.elements(of: value) { reading, element in
            if let matcher = matcher(element, hasOwnErrors, &reading) { found.append(matcher) }
        }
        guard case .array(let elements) = value else { return nil }
        if elements.count > Self.matchersMax {
            reading.note(.tooLarge, "There are \(elements.count) entries; allowed are \(Self.matchersMax).")
        }
        return found
    }

    /// The errors that a word of another system is about, or the family without its `.*`.
    private static func meant(by text: String, _ reading: inout SpecReading) -> String? {
        switch text.utf8.count > 64 ? "" : text.lowercased() {
        case "etimedout", "timeouts", "timeouterror", "timed_out": "timeout.*"
        case "econnrefused", "connection_refused", "refused": "connect.refused"
        case "enotfound", "eai_again": "dns.*"
        case "network", "connection", "econnreset": "connect.*"
        case "server_error", "5**": "5xx"
        default: reading.nearest(to: text, in: families).map { $0 + ".*" }
        }
    }

    private static func matcher(
        _ value: JSONValue, _ hasOwnErrors: Bool, _ reading: inout SpecReading
    ) -> RetryMatcher? {
        if case .number = value { return reading.int(value, in: 100...999).map(RetryMatcher.status) }
        let forms = #"a code ("connect.refused"), a family ("timeout.*"), a status (503) or a class ("5xx")"#
        guard let text = reading.string(value, forms) else { return nil }
        guard let matcher = RetryMatcher(text) else {
            reading.note(
                .unknownWord, "\"\(String(quotable: text))\" is not one of \(forms).",
                suggestion: meant(by: text, &reading))
            return nil
        }
        let family: String? =
            switch matcher {
            case .family(let family): family
            case .code(let code): code.family
            default: nil
            }
        if let family, !hasOwnErrors, !Self.families.contains(family) {
            reading.note(
                .unknownWord, "There are no errors of the family \"\(String(quotable: family))\".",
                suggestion: reading.nearest(to: family, in: Self.families))
        }
        return matcher
    }
}
