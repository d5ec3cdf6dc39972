internal import JobKit
internal import StrictJSON

/// Reads the waits between attempts, or between rounds.
enum BackoffReader {
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

    static func backoff(_ value: JSONValue, _ reading: inout SpecReading) -> RetrySpec.Backoff? {
        guard case .object(let object) = value else {
            if let type = value.string, BackoffType(rawValue: type.lowercased()) != nil {
                reading.wrongType(
                    value, "a wait such as \"5s\", or an object",
                    suggestion: "{\"type\": \"\(type.lowercased())\"}")
                return nil
            }
            if case .array = value {
                reading.wrongType(
                    value, "a wait such as \"5s\", or an object",
                    suggestion: #"{"schedule": ["5s", "1m", "10m"]}"#)
                return nil
            }
            return reading.duration(value, atLeast: .zero, atMost: reading.limits.waitMax).map(
                RetrySpec.Backoff.fixed)
        }
        let type =
            if let value = object["type"] {
                reading.inside("type") { $0.word(value, BackoffType.self) } ?? .exponential
            } else {
                object["schedule"] == nil ? BackoffType.exponential : .schedule
            }
        var initial = Duration.seconds(1)
        var step: Duration?
        var most = Duration.seconds(300)
        var factor = 2.0
        var schedule: [Duration] = []
        reading.members(of: object, "\(SpecReading.withArticle(type.rawValue)) backoff", known: type.members)
        {
            reading, name, value in
            guard type.members.contains(name) else { return false }
            switch name {
            case "initial": initial = wait(value, &reading) ?? initial
            case "step": step = wait(value, &reading)
            case "max": most = wait(value, &reading) ?? most
            case "factor":
                factor = reading.number(value, in: 1...100, limits: "The factor is 1 to 100.") ?? factor
            case "schedule": schedule = Self.schedule(value, &reading)
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
                reading.missing(
                    "schedule", "List the waits.", suggestion: #""schedule": ["5s", "1m", "10m"]"#)
            }
            return .schedule(schedule)
        }
    }

    private static func wait(_ value: JSONValue, _ reading: inout SpecReading) -> Duration? {
        reading.duration(value, atLeast: .zero, atMost: reading.limits.waitMax)
    }

    private static func schedule(_ value: JSONValue, _ reading: inout SpecReading) -> [Duration] {
        var waits: [Duration] = []
        reading.elements(of: value) { reading, element in
            if let wait = wait(element, &reading) { waits.append(wait) }
        }
        if case .array(let elements) = value, elements.isEmpty || elements.count > reading.limits.attemptsMax
        {
            reading.note(
                .outOfRange, "A schedule has 1 to \(reading.limits.attemptsMax) waits; the last one repeats.")
        }
        return waits
    }
}
