internal import JobKit
internal import StrictJSON

/// Requires that a time window is open.
struct TimeWindowSpec: ConditionKind {
    var window: TimeWindow
    var whenClosed: TimeWindowCondition.WhenClosed

    static let name = "time_window"
    static let wait: WaitWords? = WaitWords(.timeWindow, "time") { _ in "its time window to open" }
    static let members: [any KindMember] = [
        zoneMember, daysMember, fromMember, toMember, exceptMember, closedMember,
    ]
    private static let zoneMember = RequiredMember(
        "tz", .zone, remedy: "Say whose clocks count.", suggestion: #""tz": "Europe/Berlin""#)
    private static let daysMember = OptionalMember("days", .weekdays)
    private static let fromMember = DefaultedMember("from", .timeOfDay(in: 0...1_439), default: 0)
    private static let toMember = DefaultedMember("to", .timeOfDay(in: 0...1_440), default: 1_440)
    private static let exceptMember = OptionalMember("except", .dates)
    private static let closedMember = DefaultedMember(
        "on_closed", .word, default: TimeWindowCondition.WhenClosed.wait)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> TimeWindowSpec?
    {
        var window = TimeWindow()
        if let zone = zoneMember.read(object, scope, &reading) { window.zone = zone }
        if let days = daysMember.read(object, scope, &reading) { window.days = days }
        window.from = fromMember.read(object, scope, &reading)
        window.to = toMember.read(object, scope, &reading)
        if let dates = exceptMember.read(object, scope, &reading) { window.exceptions = dates }
        return TimeWindowSpec(window: window, whenClosed: closedMember.read(object, scope, &reading))
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        TimeWindowCondition(window, whenClosed: whenClosed)
    }
}

extension SpecForm where Value == String {
    fileprivate static var zone: SpecForm {
        SpecForm { reading, value in
            guard let name = reading.string(value, "a time zone such as \"Europe/Berlin\"") else {
                return nil
            }
            guard SystemZones.rules(named: name) != nil else {
                reading.note(
                    .unknownWord,
                    "There is no time zone \"\(String(quotable: name))\" here. "
                        + "They have names such as Europe/Berlin or UTC.",
                    suggestion: SpellingSuggestion.nearest(to: name, in: SystemZones.names()))
                return nil
            }
            return name
        }
    }
}

extension SpecForm where Value == Set<TimeWindow.Weekday> {
    fileprivate static var weekdays: SpecForm {
        SpecForm { reading, value in
            var days: Set<TimeWindow.Weekday> = []
            reading.elements(of: value) { reading, element in
                if let day = reading.word(element, TimeWindow.Weekday.self) { days.insert(day) }
            }
            if value.array?.isEmpty == true {
                reading.note(.outOfRange, "List at least one day, or leave \"days\" out.")
            }
            return days
        }
    }
}

extension SpecForm where Value == Int {
    /// `08:30` as minutes after midnight.
    fileprivate static func timeOfDay(in range: ClosedRange<Int>) -> SpecForm {
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
    fileprivate static var dates: SpecForm {
        SpecForm { reading, value in
            var days: Set<Int64> = []
            reading.elements(of: value) { reading, element in
                if let day = date(element, &reading) { days.insert(day) }
            }
            return days
        }
    }

    private static func date(_ value: JSONValue, _ reading: inout SpecReading) -> Int64? {
        guard let text = reading.string(value, "a date such as \"2026-12-25\"") else { return nil }
        guard text.utf8.count == 10, let midnight = Timestamp(text + "T00:00:00Z") else {
            reading.note(.badTime, "A date is written \"2026-12-25\".")
            return nil
        }
        return midnight.milliseconds / 86_400_000
    }
}
