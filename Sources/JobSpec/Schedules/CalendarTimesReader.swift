internal import JobKit
internal import StrictJSON

/// Reads `calendar`: days and times in words.
struct CalendarTimesReader {
    private static let weekdayNames = TimeWindow.Weekday.allCases.map(\.rawValue)
    private static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weeks = ["first", "second", "third", "fourth", "fifth"]

    func read(_ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading) -> CalendarTimes? {
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object", suggestion: #"{"weekdays": ["mon"], "at": ["08:00"]}"#)
            return nil
        }
        var times = CalendarTimes(days: DayRule(), minutes: [])
        reading.members(of: object, "A calendar", known: ["months", "days", "weekdays", "at"]) {
            reading, name, value in
            switch name {
            case "months":
                let months = list(value, atMost: Self.monthNames.count, &reading, month)
                times.days.months = months.reduce(0) { $0 | 1 << UInt16($1) }
            case "days": times.days.days = list(value, atMost: Self.daysMax, &reading, day)
            case "weekdays":
                times.days.weekdays = list(value, atMost: Self.weekdayWords.count, &reading, weekday)
            case "at":
                let form = SpecForm<Int>.timeOfDay(in: 0...1_439)
                times.minutes = list(value, atMost: 1_440, &reading) { form.read(&$1, $0, scope) }.sorted()
            default: return false
            }
            return true
        }
        if object["at"] == nil {
            reading.missing("at", "Say at which times of those days.", suggestion: #""at": ["08:00"]"#)
        }
        return times
    }

    /// The days of a month, `last` and `last workday`.
    private static let daysMax = 33
    private static let weekdayWords =
        weekdayNames + (weeks + ["last"]).flatMap { week in weekdayNames.map { week + " " + $0 } }

    /// A list with at least one element, each taken once.
    /// - Parameter most: the number of different elements. A longer list is not read, unless it was accepted once.
    private func list<Element: Hashable>(
        _ value: JSONValue, atMost most: Int, _ reading: inout SpecReading,
        _ element: (JSONValue, inout SpecReading) -> Element?
    ) -> [Element] {
        if let count = value.array?.count, count > most, reading.kinds != nil {
            reading.note(
                .tooLarge,
                "There are \(count) entries; allowed are \(most), as many as there are different ones. "
                    + "Write each once.")
            return []
        }
        var found: [Element] = []
        var known: Set<Element> = []
        reading.elements(of: value) { reading, value in
            if let one = element(value, &reading), known.insert(one).inserted { found.append(one) }
        }
        if value.array?.isEmpty == true {
            reading.note(.outOfRange, "List at least one, or leave it out.")
        }
        return found
    }

    private func month(_ value: JSONValue, _ reading: inout SpecReading) -> Int64? {
        if case .number = value { return reading.int(value, in: 1...12).map(Int64.init) }
        return reading.word(value, of: Self.monthNames).flatMap { Self.monthNames.firstIndex(of: $0) }
            .map { Int64($0) + 1 }
    }

    private func day(_ value: JSONValue, _ reading: inout SpecReading) -> DayRule.MonthDay? {
        if case .number = value { return reading.int(value, in: 1...31).map { .day(Int64($0)) } }
        return reading.word(value, of: ["last", "last workday"]).map { word in
            word == "last" ? .last(before: 0) : .lastWorkday
        }
    }

    /// `mon`, `first mon` or `last mon`.
    private func weekday(_ value: JSONValue, _ reading: inout SpecReading) -> DayRule.MonthWeekday? {
        guard let text = reading.string(value, "a weekday such as \"mon\" or \"first mon\"") else {
            return nil
        }
        let words = text.split(separator: " ").map(String.init)
        if let last = words.last, let number = Self.weekdayNames.firstIndex(of: last).map(Int64.init) {
            if words.count == 1 { return .every(number) }
            if words.count == 2, words[0] == "last" { return .last(number) }
            if words.count == 2, let week = Self.weeks.firstIndex(of: words[0]) {
                return .nth(Int64(week) + 1, weekday: number)
            }
        }
        reading.note(
            .unknownWord,
            "\"\(String(quotable: text))\" is no weekday. There are \"mon\" to \"sun\", and \"first mon\" to "
                + "\"fifth mon\" and \"last mon\".",
            suggestion: SpellingSuggestion.nearest(to: text, in: Self.weekdayWords))
        return nil
    }
}
