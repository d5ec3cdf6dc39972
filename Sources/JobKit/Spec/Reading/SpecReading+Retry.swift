internal import StrictJSON

/// How calls are tried again.
extension SpecReading {
    mutating func retryMembers(_ value: JSONValue) -> RetryMembers {
        var retry = RetryMembers()
        if let attempts = Self.attempts(value) {
            wrongType(value, "an object", suggestion: "{\"max_attempts\": \(attempts)}")
            return retry
        }
        members(of: value, "retry", known: Self.retryNames) { reading, name, value in
            reading.retryMember(name, value, of: &retry)
        }
        return retry
    }

    /// How many attempts somebody means who says so without an object; nil when that cannot be told.
    private static func attempts(_ value: JSONValue) -> Int? {
        switch value {
        case .number(let number): number.int
        case .bool(false): 1
        case .string(let text): ["none", "never", "no", "off"].contains(text.lowercased()) ? 1 : Int(text)
        default: nil
        }
    }

    private static let retryNames = [
        "max_attempts", "backoff", "jitter", "on", "never", "max_elapsed", "respect_retry_after",
        "retry_after_max", "receiver_stop", "unsafe",
    ]

    private mutating func retryMember(_ name: String, _ value: JSONValue, of retry: inout RetryMembers)
        -> Bool
    {
        switch name {
        case "max_attempts": retry.set(name, int(value, in: 1...limits.attemptsMax)) { $0.attemptsMax = $1 }
        case "backoff": retry.set(name, backoff(value)) { $0.backoff = $1 }
        case "jitter": retry.set(name, word(value)) { $0.jitter = $1 }
        case "on": if !value.isNull { retry.set(name, matchers(value)) { $0.on = $1 } }
        case "never": retry.set(name, matchers(value)) { $0.never = $1 }
        case "max_elapsed": retry.set(name, interval(value, atMost: limits.waitMax)) { $0.elapsedMax = $1 }
        case "respect_retry_after": retry.set(name, bool(value)) { $0.respectsRetryAfter = $1 }
        case "retry_after_max":
            retry.set(name, interval(value, atMost: limits.waitMax)) { $0.retryAfterMax = $1 }
        case "receiver_stop": retry.set(name, bool(value)) { $0.heedsReceiverStop = $1 }
        case "unsafe": retry.set(name, bool(value)) { $0.repeatsUnsafeMethods = $1 }
        default: return false
        }
        return true
    }

    /// The most entries of `on` and of `never`.
    private static let matchersMax = 50
    private static let families = [
        "dns", "connect", "tls", "proxy", "http", "body", "expect", "timeout", "egress", "auth", "artifact",
        "secret", "connection", "poll", "reference", "template", "transform", "internal", "storage",
    ]

    /// Errors by code, family, status or class of statuses.
    private mutating func matchers(_ value: JSONValue) -> [RetryMatcher]? {
        var found: [RetryMatcher] = []
        elements(of: value) { reading, element in
            if let matcher = reading.matcher(element) { found.append(matcher) }
        }
        guard case .array(let elements) = value else { return nil }
        if elements.count > Self.matchersMax {
            note(.tooLarge, "There are \(elements.count) entries; allowed are \(Self.matchersMax).")
        }
        return found
    }

    private mutating func matcher(_ value: JSONValue) -> RetryMatcher? {
        if case .number = value { return int(value, in: 100...999).map(RetryMatcher.status) }
        let forms = #"a code ("connect.refused"), a family ("timeout.*"), a status (503) or a class ("5xx")"#
        guard let text = string(value, forms) else { return nil }
        guard let matcher = RetryMatcher(text) else {
            note(.unknownWord, "\"\(Self.quotable(text))\" is none of \(forms).")
            return nil
        }
        let family: String? =
            switch matcher {
            case .family(let family): family
            case .code(let code): code.family
            default: nil
            }
        if let family, !Self.families.contains(family) {
            note(
                .unknownWord, "There are no errors of the family \"\(Self.quotable(family))\".",
                suggestion: SpellingSuggestion.nearest(to: family, in: Self.families))
        }
        return matcher
    }

    private enum BackoffType: String, CaseIterable {
        case fixed, linear, exponential, schedule

        var members: [String] {
            switch self {
            case .fixed: ["type", "initial"]
            case .linear: ["type", "initial", "step", "max"]
            case .exponential: ["type", "initial", "factor", "max"]
            case .schedule: ["type", "schedule"]
            }
        }
    }

    mutating func backoff(_ value: JSONValue) -> RetrySpec.Backoff? {
        guard case .object(let object) = value else {
            if let type = value.string, BackoffType(rawValue: type.lowercased()) != nil {
                wrongType(
                    value, "a wait such as \"5s\", or an object",
                    suggestion: "{\"type\": \"\(type.lowercased())\"}")
                return nil
            }
            if case .array = value {
                wrongType(
                    value, "a wait such as \"5s\", or an object",
                    suggestion: #"{"schedule": ["5s", "1m", "10m"]}"#)
                return nil
            }
            return duration(value, atLeast: .zero, atMost: limits.waitMax).map(RetrySpec.Backoff.fixed)
        }
        let type =
            if let value = object["type"] {
                inside("type") { $0.word(value, BackoffType.self) } ?? .exponential
            } else {
                object["schedule"] == nil ? BackoffType.exponential : .schedule
            }
        var initial = Duration.seconds(1)
        var step: Duration?
        var most = Duration.seconds(300)
        var factor = 2.0
        var schedule: [Duration] = []
        members(of: object, "\(Self.withArticle(type.rawValue)) backoff", known: type.members) {
            reading, name, value in
            guard type.members.contains(name) else { return false }
            switch name {
            case "initial": initial = reading.wait(value) ?? initial
            case "step": step = reading.wait(value)
            case "max": most = reading.wait(value) ?? most
            case "factor": factor = reading.factor(value) ?? factor
            case "schedule": schedule = reading.schedule(value)
            default: break
            }
            return true
        }
        switch type {
        case .fixed: return .fixed(initial)
        case .linear: return .linear(initial: initial, step: step ?? initial, max: max(most, initial))
        case .exponential: return .exponential(initial: initial, factor: factor, max: max(most, initial))
        case .schedule:
            if object["schedule"] == nil {
                missing("schedule", "List the waits.", suggestion: #""schedule": ["5s", "1m", "10m"]"#)
            }
            return .schedule(schedule)
        }
    }

    private mutating func wait(_ value: JSONValue) -> Duration? {
        duration(value, atLeast: .zero, atMost: limits.waitMax)
    }

    private mutating func factor(_ value: JSONValue) -> Double? {
        guard case .number(let number) = value else {
            wrongType(value, "a number")
            return nil
        }
        guard let factor = number.double, factor >= 1, factor <= 100 else {
            note(.outOfRange, "The factor is 1 to 100.")
            return nil
        }
        return factor
    }

    private mutating func schedule(_ value: JSONValue) -> [Duration] {
        var waits: [Duration] = []
        elements(of: value) { reading, element in
            if let wait = reading.wait(element) { waits.append(wait) }
        }
        if case .array(let elements) = value, elements.isEmpty || elements.count > limits.attemptsMax {
            note(.outOfRange, "A schedule has 1 to \(limits.attemptsMax) waits; the last one repeats.")
        }
        return waits
    }
}
