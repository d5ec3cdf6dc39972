internal import StrictJSON

/// The members of `retry` as far as they were written.
struct RetryMembers {
    var attemptsMax: Int?
    var backoff: RetrySpec.Backoff?
    var jitter: RetrySpec.Jitter?
    var repeatsUnsafeMethods: Bool?

    /// The rule: these members, then those of `others`, then the standard ones; nil when nobody says anything.
    func rule(over others: RetryMembers) -> RetrySpec? {
        let isSaid =
            attemptsMax != nil || backoff != nil || jitter != nil || repeatsUnsafeMethods != nil
            || others.attemptsMax != nil || others.backoff != nil || others.jitter != nil
            || others.repeatsUnsafeMethods != nil
        guard isSaid else { return nil }
        var rule = RetrySpec.standard
        if let value = attemptsMax ?? others.attemptsMax { rule.attemptsMax = value }
        if let value = backoff ?? others.backoff { rule.backoff = value }
        if let value = jitter ?? others.jitter { rule.jitter = value }
        if let value = repeatsUnsafeMethods ?? others.repeatsUnsafeMethods {
            rule.repeatsUnsafeMethods = value
        }
        return rule
    }
}

/// How calls are tried again.
extension SpecReading {
    mutating func retryMembers(_ value: JSONValue) -> RetryMembers {
        var retry = RetryMembers()
        if let attempts = value.number?.int {
            wrongType(value, "an object", suggestion: "{\"max_attempts\": \(attempts)}")
            return retry
        }
        members(of: value, "retry", known: ["max_attempts", "backoff", "jitter", "unsafe"]) {
            reading, name, value in
            switch name {
            case "max_attempts": retry.attemptsMax = reading.int(value, in: 1...reading.limits.attemptsMax)
            case "backoff": retry.backoff = reading.backoff(value)
            case "jitter": retry.jitter = reading.word(value)
            case "unsafe": retry.repeatsUnsafeMethods = reading.bool(value)
            default: return false
            }
            return true
        }
        return retry
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
