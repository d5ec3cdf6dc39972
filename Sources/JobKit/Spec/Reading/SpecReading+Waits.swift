internal import StrictJSON

/// Conditions that may wait, and those that compare.
extension SpecReading {
    mutating func expression(_ object: JSONObject) -> ConditionSpec? {
        enum Consequence: String, CaseIterable { case skip, fail }
        let consequence = object["on_unsatisfied"].flatMap { value in
            inside("on_unsatisfied") { $0.word(value, Consequence.self) }
        }
        guard let value = object["that"] else {
            missing(
                "that", "Say what must hold.",
                suggestion: #""that": {"$get": "a", "at": "/body/status", "equals": "done"}"#)
            return nil
        }
        return inside("that") { $0.predicate(value, on: .nothing) }.map {
            .expression(that: $0, skips: consequence != .fail)
        }
    }

    /// `wait`, and with it `interval` and `give_up_after`.
    mutating func patience(_ object: JSONObject) -> ReachabilityCondition.Patience? {
        let most = limits.waitMax
        let interval = object["interval"].map { value in
            inside("interval") { $0.duration(value, atLeast: .seconds(1), atMost: most) }
        }
        let giveUpAfter = object["give_up_after"].map { value in
            inside("give_up_after") { $0.interval(value, atMost: most) }
        }
        guard object["wait"].flatMap({ value in inside("wait") { $0.bool(value) } }) == true else {
            for name in ["interval", "give_up_after"] where object[name] != nil {
                note(
                    member: name, .conflict, "\"\(name)\" does nothing without \"wait\".",
                    suggestion: #""wait": true"#)
            }
            return nil
        }
        return .init(interval: (interval ?? nil) ?? .seconds(15), giveUpAfter: giveUpAfter ?? nil)
    }

    mutating func timeWindow(_ object: JSONObject) -> ConditionSpec? {
        var window = TimeWindow()
        if let value = object["tz"] {
            if let zone = inside("tz", { $0.zone(value) }) { window.zone = zone }
        } else {
            missing("tz", "Say whose clocks count.", suggestion: #""tz": "Europe/Berlin""#)
        }
        if let value = object["days"] { window.days = inside("days") { $0.weekdays(value) } }
        if let value = object["from"] {
            window.from = inside("from") { $0.timeOfDay(value, in: 0...1_439) } ?? 0
        }
        if let value = object["to"] {
            window.to = inside("to") { $0.timeOfDay(value, in: 0...1_440) } ?? 1_440
        }
        if let value = object["except"] { window.exceptions = inside("except") { $0.dates(value) } }
        let whenClosed = object["on_closed"].flatMap { value in
            inside("on_closed") { $0.word(value, TimeWindowCondition.WhenClosed.self) }
        }
        return .timeWindow(window, whenClosed: whenClosed ?? .wait)
    }

    private mutating func zone(_ value: JSONValue) -> String? {
        guard let name = string(value, "a time zone such as \"Europe/Berlin\"") else { return nil }
        guard SystemZones.rules(named: name) != nil else {
            note(
                .unknownWord,
                "There is no time zone \"\(Self.quotable(name))\" here. They have names such as Europe/Berlin or UTC.",
                suggestion: SpellingSuggestion.nearest(to: name, in: SystemZones.names()))
            return nil
        }
        return name
    }

    private mutating func weekdays(_ value: JSONValue) -> Set<TimeWindow.Weekday> {
        var days: Set<TimeWindow.Weekday> = []
        elements(of: value) { reading, element in
            if let day = reading.word(element, TimeWindow.Weekday.self) { days.insert(day) }
        }
        if value.array?.isEmpty == true { note(.outOfRange, "List at least one day, or leave \"days\" out.") }
        return days
    }

    /// `08:30` as minutes after midnight.
    private mutating func timeOfDay(_ value: JSONValue, in range: ClosedRange<Int>) -> Int? {
        guard let text = string(value, "a time of day such as \"08:30\"") else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0 &- 0x30 < 10 } }),
            let hours = Int(String(Substring(parts[0]))), let minutes = Int(String(Substring(parts[1]))),
            minutes < 60, range.contains(hours * 60 + minutes)
        else {
            note(
                .badTime,
                "A time of day is written \"08:30\", from 00:00 to \(range.upperBound == 1_440 ? "24:00" : "23:59")."
            )
            return nil
        }
        return hours * 60 + minutes
    }

    private mutating func dates(_ value: JSONValue) -> Set<Int64> {
        var days: Set<Int64> = []
        elements(of: value) { reading, element in
            if let day = reading.date(element) { days.insert(day) }
        }
        return days
    }

    /// `2026-12-25` as days since 1970-01-01.
    private mutating func date(_ value: JSONValue) -> Int64? {
        guard let text = string(value, "a date such as \"2026-12-25\"") else { return nil }
        guard text.utf8.count == 10, let midnight = Timestamp(text + "T00:00:00Z") else {
            note(.badTime, "A date is written \"2026-12-25\".")
            return nil
        }
        return midnight.milliseconds / 86_400_000
    }
}
