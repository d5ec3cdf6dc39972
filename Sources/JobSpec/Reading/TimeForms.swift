internal import JobKit
internal import StrictJSON

/// Time zones, times of day and dates.
extension SpecForm where Value == String {
    static var zone: SpecForm {
        SpecForm { reading, value in
            guard let name = reading.string(value, "a time zone such as \"Europe/Berlin\"") else {
                return nil
            }
            guard SystemZones.rules(named: name) != nil else {
                reading.note(
                    .unknownWord,
                    "There is no time zone \"\(String(quotable: name))\" here. "
                        + "They have names such as Europe/Berlin or UTC.",
                    suggestion: zone(meantBy: name, &reading))
                return nil
            }
            return name
        }
    }

    /// The zone with a similar name, or of the city.
    private static func zone(meantBy name: String, _ reading: inout SpecReading) -> String? {
        let bytes = name.utf8
        guard bytes.count <= zoneBytesMax else { return nil }
        let names = SystemZones.names
        if let zone = reading.nearest(to: name, in: names) { return zone }
        let city = bytes.split(separator: UInt8(ascii: "/")).last ?? bytes[...]
        let word = city.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "_") : $0 }
        let nearest = reading.nearest(to: String(decoding: word, as: UTF8.self), in: cities)
        return nearest.flatMap { cities.firstIndex(of: $0) }.map { names[$0] }
    }

    private static var zoneBytesMax: Int { 64 }

    private static var cities: [String] { ZoneCities.all }
}

extension SpecForm where Value == Int {
    /// `08:30` as minutes after midnight.
    static func timeOfDay(in range: ClosedRange<Int>) -> SpecForm {
        SpecForm { reading, value in
            guard let text = reading.string(value, "a time of day such as \"08:30\"") else { return nil }
            let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0 &- 0x30 < 10 } }),
                let hours = Int(String(Substring(parts[0]))), let minutes = Int(String(Substring(parts[1]))),
                minutes < 60, range.contains(hours * 60 + minutes)
            else {
                let last = range.upperBound == 1_440 ? "24:00" : "23:59"
                reading.note(.badTime, "A time of day is written \"08:30\", from 00:00 to \(last).")
                return nil
            }
            return hours * 60 + minutes
        }
    }
}

extension SpecForm where Value == Set<Int64> {
    /// Dates as days since 1970-01-01.
    static var dates: SpecForm {
        SpecForm { reading, value in
            var days: Set<Int64> = []
            if let count = value.array?.count, count > datesMax, reading.kinds != nil {
                reading.note(
                    .tooLarge,
                    "There are \(count) dates; allowed are \(datesMax). Leave out those in the past.")
                return days
            }
            reading.elements(of: value) { reading, element in
                if let day = date(element, &reading) { days.insert(day) }
            }
            return days
        }
    }

    /// The number of dates in one list.
    private static let datesMax = 10_000

    private static func date(_ value: JSONValue, _ reading: inout SpecReading) -> Int64? {
        guard let text = reading.string(value, "a date such as \"2026-12-25\"") else { return nil }
        guard text.utf8.count == 10, let midnight = Timestamp(text + "T00:00:00Z") else {
            reading.note(.badTime, "A date is written \"2026-12-25\".")
            return nil
        }
        return midnight.milliseconds / 86_400_000
    }
}

/// The last words of the zones' names, in the same order.
private enum ZoneCities {
    static let all = SystemZones.names.map { name in
        name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? name
    }
}
