/// The UTC offset of a time zone, at any time.
///
/// Read from a file of the IANA time zone database (RFC 9636): the listed transitions, and after the last one the rule
/// for every year.
package struct ZoneRules: Sendable, Hashable {
    /// A change of the UTC offset.
    struct Transition: Sendable, Hashable {
        /// Seconds since 1970-01-01T00:00:00Z.
        var at: Int64
        /// Seconds east of UTC from then on.
        var offset: Int64
    }

    /// In order of time.
    let transitions: [Transition]
    /// Seconds east of UTC before the first transition.
    let earliestOffset: Int64
    /// The rule after the last transition; nil keeps the last offset.
    let yearly: YearlyRule?

    /// UTC.
    package static let utc = ZoneRules(transitions: [], earliestOffset: 0, yearly: nil)

    /// Seconds east of UTC at a moment, in seconds since 1970.
    package func offset(at moment: Int64) -> Int64 {
        guard let last = transitions.last else { return yearly?.offset(at: moment) ?? earliestOffset }
        if moment >= last.at { return yearly?.offset(at: moment) ?? last.offset }
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= moment { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? earliestOffset : transitions[low - 1].offset
    }

    /// The first moment after `moment` at which the UTC offset changes; nil when it does not within two years after the
    /// listed transitions.
    package func change(after moment: Int64) -> Int64? {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= moment { low = middle + 1 } else { high = middle }
        }
        for index in low..<transitions.count {
            let before = index == 0 ? earliestOffset : transitions[index - 1].offset
            if transitions[index].offset != before { return transitions[index].at }
        }
        let listed = transitions.last?.at ?? .min
        return yearly?.changes(after: max(moment, listed)).first { offset(at: $0 - 1) != offset(at: $0) }
    }

    /// The moment at which the clocks show a local time, given as seconds since 1970-01-01T00:00:00 of local time.
    ///
    /// A time that the clocks show twice is the first one; a time that they leap over is the moment of the leap.
    package func moment(ofLocal local: Int64) -> Int64 {
        let day: Int64 = 86_400
        let before = offset(at: local - day)
        let after = offset(at: local + day)
        let fitting = [before, after].map { local - $0 }.filter { $0 + offset(at: $0) == local }
        if let first = fitting.min() { return first }
        // A clock change skips it: the change is between the times for the two offsets.
        var low = local - max(before, after)
        var high = local - min(before, after)
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if offset(at: middle) == before { low = middle } else { high = middle }
        }
        return high
    }
}

/// The yearly clock changes, as in the last line of a zone file: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyRule: Sendable, Hashable {
    /// A day of a year, and a time on it.
    struct Change: Sendable, Hashable {
        enum Day: Sendable, Hashable {
            /// 1…365, of which none is a 29th of February.
            case julian(Int64)
            /// 0…365, leap days included.
            case ofYear(Int64)
            /// A weekday (0 is Sunday) of a month, the first to fourth, or the last (5).
            case weekday(Int64, week: Int64, month: Int64)
        }

        var day: Day
        /// Seconds after the midnight that begins it, −7 to 7 days.
        var seconds: Int64

        /// Seconds since 1970 of local time.
        func local(in year: Int64) -> Int64 {
            let first = CalendarDate(year: year, month: 1, day: 1).daysSinceEpoch
            let days: Int64
            switch day {
            case .julian(let number):
                let isLeap = CalendarDate.days(inMonth: 2, ofYear: year) == 29
                days = first + number - 1 + (isLeap && number > 59 ? 1 : 0)
            case .ofYear(let number): days = first + number
            case .weekday(let weekday, let week, let month):
                let begin = CalendarDate(year: year, month: month, day: 1).daysSinceEpoch
                let length = CalendarDate.days(inMonth: month, ofYear: year)
                let firstOne = (weekday - Self.weekday(of: begin) + 7) % 7
                var number = firstOne + (week - 1) * 7
                while number >= length { number -= 7 }
                days = begin + number
            }
            return days * 86_400 + seconds
        }

        /// 0 is Sunday.
        static func weekday(of days: Int64) -> Int64 { ((days + 4) % 7 + 7) % 7 }
    }

    /// Seconds east of UTC in ordinary time.
    var standard: Int64
    /// Seconds east of UTC in summer, and when it begins and ends; nil when there is none.
    var summer: (offset: Int64, begin: Change, end: Change)? {
        guard let summerOffset, let begin, let end else { return nil }
        return (summerOffset, begin, end)
    }
    var summerOffset: Int64?
    var begin: Change?
    var end: Change?

    func offset(at moment: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CalendarDate(daysSinceEpoch: (moment + standard).floored(by: 86_400)).year
        let begin = summer.begin.local(in: year) - standard
        let end = summer.end.local(in: year) - summer.offset
        let isSummer = begin < end ? moment >= begin && moment < end : moment >= begin || moment < end
        return isSummer ? summer.offset : standard
    }

    /// The clock changes of the years around `moment` that come after it, in order.
    func changes(after moment: Int64) -> [Int64] {
        guard let summer else { return [] }
        let year = CalendarDate(daysSinceEpoch: moment.floored(by: 86_400)).year
        return ((year - 1)...(year + 2)).flatMap { year in
            [summer.begin.local(in: year) - standard, summer.end.local(in: year) - summer.offset]
        }.filter { $0 > moment }.sorted()
    }
}

extension Int64 {
    /// The quotient, rounded down for negative numbers, too.
    package func floored(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
