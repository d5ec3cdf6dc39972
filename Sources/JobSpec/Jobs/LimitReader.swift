package import JobKit
package import StrictJSON

/// Reads limits on the number of things that run at the same time, and on how often they begin.
package enum LimitReader {
    /// The limits that `value` is, or everything that is wrong with it.
    package static func read(_ value: JSONValue, of subject: String) -> Result<FlowLimits, SpecProblems> {
        var reading = SpecReading(limits: .standard, now: Timestamp(milliseconds: 0))
        let limits = limits(value, subject, &reading)
        if reading.problems.isEmpty { return .success(limits) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }

    private static let countMax = 1_000_000

    /// An object of limits.
    static func limits(
        _ value: JSONValue, _ subject: String, _ reading: inout SpecReading
    ) -> FlowLimits {
        var limits = FlowLimits()
        reading.members(of: value, subject, known: ["concurrency", "rate"]) { reading, name, value in
            member(name, value, of: &limits, &reading)
        }
        return limits
    }

    /// Reads a member of limits; false when it is none.
    static func member(
        _ name: String, _ value: JSONValue, of limits: inout FlowLimits, _ reading: inout SpecReading
    ) -> Bool {
        switch name {
        case "concurrency": limits.concurrency = reading.int(value, in: 1...countMax)
        case "rate": limits.rate = rate(value, &reading)
        default: return false
        }
        return true
    }

    /// `{"count": 10, "per": "1s"}`
    static func rate(_ value: JSONValue, _ reading: inout SpecReading) -> RateLimit? {
        let example = #"{"count": 10, "per": "1s"}"#
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object", suggestion: suggestion(for: value) ?? example)
            return nil
        }
        var count: Int?
        var per: Duration?
        var burst: Int?
        reading.members(of: object, "rate", known: ["count", "per", "burst"]) { reading, name, value in
            switch name {
            case "count": count = reading.int(value, in: 1...countMax)
            case "per":
                per = reading.duration(value, atLeast: .milliseconds(1), atMost: .seconds(31 * 86_400))
            case "burst": burst = reading.int(value, in: 1...countMax)
            default: return false
            }
            return true
        }
        if object["count"] == nil { reading.missing("count", "Say how many.", suggestion: #""count": 10"#) }
        if object["per"] == nil { reading.missing("per", "Say in what time.", suggestion: #""per": "1s""#) }
        guard let count, let per else { return nil }
        guard Double(count) <= Double(countMax) * (per / .seconds(1)) else {
            reading.note(
                .outOfRange, "More than \(countMax) in a second are as good as no limit. Leave it out.")
            return nil
        }
        return RateLimit(count: count, per: per, burst: burst)
    }

    /// The rate meant by a number or by a text such as "10/s".
    private static func suggestion(for value: JSONValue) -> String? {
        if let count = value.number?.int { return "{\"count\": \(count), \"per\": \"1s\"}" }
        let units = [
            "s": "1s", "sec": "1s", "second": "1s", "m": "1m", "min": "1m", "minute": "1m", "h": "1h",
        ]
        let parts = (value.string ?? "").split(separator: "/", maxSplits: 1).map {
            $0.filter { $0 != " " }
        }
        guard parts.count == 2, let count = Int(parts[0]), let per = units[parts[1]] else { return nil }
        return "{\"count\": \(count), \"per\": \"\(per)\"}"
    }
}
