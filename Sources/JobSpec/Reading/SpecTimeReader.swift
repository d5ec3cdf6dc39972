internal import JobKit
internal import StrictJSON

/// Reads times of jobs and operations: dates, local times with their zone, and durations.
enum SpecTimeReader {
    /// The members that have times, in the order in which they come.
    static let members = ["run_at", "start_by", "finish_by"]

    private static let forms =
        #"a date ("2026-11-21T10:00:00Z"), a local time ({"local": "2026-11-21T10:00", "tz": "Europe/Berlin"}) "#
        + #"or a duration ("90s")"#

    /// The time of the member `name`; nil when it is wrong, which is noted.
    static func time(_ value: JSONValue, of name: String, _ reading: inout SpecReading) -> SpecTime? {
        switch value {
        case .string(let text) where isRepeated(text): repeated(text, &reading)
        case .string(let text) where isTimeOfDay(text): timeOfDay(text, &reading)
        case .string(let text) where isDate(text): date(text, &reading).map(SpecTime.at)
        case .string(let text) where !isDuration(text): noTime(text, &reading)
        case .string:
            // A job may begin at once, and nothing can end in no time.
            reading.duration(
                value, atLeast: name == "run_at" ? .zero : .nanoseconds(1), atMost: reading.limits.dateMax
            ).map(SpecTime.after)
        case .object(let object): localTime(object, &reading).map(SpecTime.at)
        case .number:
            wrong(value, suggestion: value.number?.double.flatMap(meaning), &reading)
        default: wrong(value, suggestion: nil, &reading)
        }
    }

    private static func wrong(
        _ value: JSONValue, suggestion: String?, _ reading: inout SpecReading
    ) -> SpecTime? {
        reading.wrongType(value, forms, suggestion: suggestion)
        return nil
    }

    /// The time that a number means: seconds or milliseconds since 1970 when it is large, else seconds from now.
    private static func meaning(of number: Double) -> String? {
        switch number {
        case 0..<1e9: "\(Int(number))s"
        case 1e9..<1e11: Timestamp(milliseconds: Int64(number * 1_000)).description
        case 1e11..<1e14: Timestamp(milliseconds: Int64(number)).description
        default: nil
        }
    }

    private static func noTime(_ text: String, _ reading: inout SpecReading) -> SpecTime? {
        reading.note(
            .badTime, "\"\(String(quotable: text))\" is no time. Write \(forms).",
            suggestion: ["tomorrow": "24h", "now": "0s", "asap": "0s"][text.lowercased()])
        return nil
    }

    /// Times of a cron line (five fields, or up to seven with seconds and years), a word such as `@daily`, or a rate.
    private static func isRepeated(_ text: String) -> Bool {
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: "@") { return bytes.count <= cronBytesMax }
        // Nearly all times are shorter, and are not taken apart.
        guard (cronBytesMin...cronBytesMax).contains(bytes.count) else { return false }
        return bytes.starts(with: "rate(".utf8) || bytes.starts(with: "every ".utf8)
            || (5...7).contains(bytes.split(separator: UInt8(ascii: " ")).count)
    }

    /// `every 1m`; the shortest cron line has one byte more.
    private static let cronBytesMin = 8
    private static let cronBytesMax = 200

    private static func repeated(_ text: String, _ reading: inout SpecReading) -> SpecTime? {
        let answer = FamiliarWords.schedule(text, "network")
        reading.note(
            .badTime, "\"\(String(quotable: text))\" is many times. \(answer.detail)",
            suggestion: answer.suggestion)
        return nil
    }

    private static func isTimeOfDay(_ text: String) -> Bool {
        text.utf8.count == 5 && Timestamp("2026-01-01T\(text):00Z") != nil
    }

    private static func timeOfDay(_ text: String, _ reading: inout SpecReading) -> SpecTime? {
        func local(on day: Timestamp) -> String {
            String(decoding: day.description.utf8.prefix(11), as: UTF8.self) + text
        }
        let today = local(on: reading.now)
        let isOver = Timestamp(today + ":00Z").map { $0 <= reading.now } ?? false
        let next = isOver ? local(on: reading.now.advanced(by: .seconds(86_400))) : today
        reading.note(
            .badTime, "\"\(text)\" says neither the day nor whose clocks. Write \(forms).",
            suggestion: "{\"local\": \"\(next)\", \"tz\": \"UTC\"}")
        return nil
    }

    private static func isDuration(_ text: String) -> Bool {
        text.utf8.first.map { ($0 | 0x20) == UInt8(ascii: "p") || $0 &- 0x30 < 10 } ?? false
    }

    private static func isDate(_ text: String) -> Bool {
        text.utf8.count >= 10 && text.utf8.dropFirst(4).first == UInt8(ascii: "-")
    }

    private static func date(_ text: String, _ reading: inout SpecReading) -> Timestamp? {
        if seconds(ofLocal: text) != nil {
            reading.note(
                .badTime,
                "The time lacks its offset from UTC. End it with Z or with an offset such as +01:00, or give its zone.",
                suggestion: "{\"local\": \"\(text)\", \"tz\": \"UTC\"}")
            return nil
        }
        return reading.nearTime(.string(text), within: reading.limits.dateMax)
    }

    /// `{"local": "2026-11-21T10:00", "tz": "Europe/Berlin"}`. A time that the clocks show twice is the first one, and
    /// one that they leap over is the moment of the leap.
    private static func localTime(_ object: JSONObject, _ reading: inout SpecReading) -> Timestamp? {
        var local: Int64?
        var zone: ZoneRules?
        reading.members(of: object, "A local time", known: ["local", "tz"]) { reading, name, value in
            switch name {
            case "local": local = self.local(value, &reading)
            case "tz":
                zone = SpecForm<String>.zone.read(&reading, value, SpecScope()).flatMap {
                    SystemZones.rules(named: $0)
                }
            default: return false
            }
            return true
        }
        if object["local"] == nil {
            reading.missing(
                "local", "Say what the clocks show then.", suggestion: #""local": "2026-11-21T10:00""#)
        }
        if object["tz"] == nil {
            reading.missing("tz", "Say whose clocks.", suggestion: #""tz": "Europe/Berlin""#)
        }
        guard let local, let zone else { return nil }
        return reading.near(
            Timestamp(milliseconds: zone.moment(ofLocal: local) * 1_000), within: reading.limits.dateMax)
    }

    private static func local(_ value: JSONValue, _ reading: inout SpecReading) -> Int64? {
        guard let text = reading.string(value, "a local time such as \"2026-11-21T10:00\"") else {
            return nil
        }
        if let seconds = seconds(ofLocal: text) { return seconds }
        reading.note(
            .badTime,
            Timestamp(text) == nil
                ? "A local time is written \"2026-11-21T10:00\", with seconds or without."
                : "A local time has no offset, since the zone says it. A date with an offset stands alone.",
            suggestion: Timestamp(text) == nil ? nil : String(decoding: text.utf8.prefix(19), as: UTF8.self))
        return nil
    }

    /// Seconds since 1970-01-01T00:00:00 of local time, of a time without an offset; nil for any other text.
    private static func seconds(ofLocal text: String) -> Int64? {
        let rest: String? =
            switch text.utf8.count {
            case 16: ":00Z"
            case 19: "Z"
            default: nil
            }
        return rest.flatMap { Timestamp(text + $0) }.map { $0.milliseconds.floored(by: 1_000) }
    }
}
