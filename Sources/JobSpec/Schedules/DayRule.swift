internal import JobKit

/// The days of a calendar: some months, and in them days by their number or by their weekday.
package struct DayRule: Sendable, Hashable {
    /// A day of a month by its number.
    package enum MonthDay: Sendable, Hashable {
        /// 1…31; a month without it has none.
        case day(Int64)
        /// The last day, or as many days before it.
        case last(before: Int64)
        /// The day from Monday to Friday that is nearest to a day, in the same month.
        case workday(nearest: Int64)
        /// The last day from Monday to Friday.
        case lastWorkday
    }

    /// A day of a month by its weekday, where 0 is Sunday.
    package enum MonthWeekday: Sendable, Hashable {
        case every(Int64)
        /// The first to fifth.
        case nth(Int64, weekday: Int64)
        case last(Int64)
    }

    /// Both lists, where both are given.
    package enum Combination: Sendable, Hashable {
        /// A day in either list.
        case either
        /// A day in both lists.
        case both
    }

    /// Bits 1…12.
    package var months: UInt16 = 0b1_1111_1111_1110
    /// Nil is any day.
    package var days: [MonthDay]?
    /// Nil is any weekday.
    package var weekdays: [MonthWeekday]?
    package var combination = Combination.both

    package init() {}

    /// The first day from `day` on, as days since 1970; nil when there is none. The calendar repeats after 400 years: a
    /// rule without a day in them has none at all.
    package func first(from day: Int64) -> Int64? {
        let date = CalendarDate(daysSinceEpoch: day)
        var (year, month) = (date.year, date.month)
        var from = date.day
        for _ in 0...(400 * 12) {
            if months & (1 << month) != 0 {
                let found = days(ofMonth: month, year) & (~UInt32(0) << UInt32(from))
                if found != 0 {
                    let number = Int64(found.trailingZeroBitCount)
                    return CalendarDate(year: year, month: month, day: number).daysSinceEpoch
                }
            }
            from = 1
            (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
        }
        return nil
    }

    package func contains(_ day: Int64) -> Bool {
        let date = CalendarDate(daysSinceEpoch: day)
        return months & (1 << date.month) != 0
            && days(ofMonth: date.month, date.year) & (1 << UInt32(date.day)) != 0
    }

    /// The days of one month as bits 1…31.
    private func days(ofMonth month: Int64, _ year: Int64) -> UInt32 {
        let length = CalendarDate.days(inMonth: month, ofYear: year)
        let first = CalendarDate(year: year, month: month, day: 1).daysSinceEpoch
        let all = (UInt32(1) << UInt32(length + 1) &- 1) & ~1
        let page = MonthPage(length: length, firstWeekday: ((first + 4) % 7 + 7) % 7)
        let byNumber = days.map { $0.reduce(0) { $0 | page.bits(of: $1) } & all }
        let byWeekday = weekdays.map { $0.reduce(0) { $0 | page.bits(of: $1) } & all }
        guard let byNumber, let byWeekday else { return byNumber ?? byWeekday ?? all }
        return combination == .either ? byNumber | byWeekday : byNumber & byWeekday
    }
}

/// One month: its length, and the weekday of its first day.
private struct MonthPage {
    let length: Int64
    let firstWeekday: Int64

    private func weekday(of day: Int64) -> Int64 { (firstWeekday + day - 1) % 7 }

    func bits(of day: DayRule.MonthDay) -> UInt32 {
        switch day {
        case .day(let number): 1 << UInt32(number)
        case .last(let before): before < length ? 1 << UInt32(length - before) : 0
        case .workday(let number): number <= length ? 1 << UInt32(workday(nearest: number)) : 0
        case .lastWorkday: 1 << UInt32(workday(nearest: length))
        }
    }

    private func workday(nearest day: Int64) -> Int64 {
        switch weekday(of: day) {
        case 6: day == 1 ? 3 : day - 1
        case 0: day == length ? day - 2 : day + 1
        default: day
        }
    }

    func bits(of day: DayRule.MonthWeekday) -> UInt32 {
        switch day {
        case .every(let weekday):
            return stride(from: first(weekday), through: length, by: 7).reduce(0) { $0 | 1 << UInt32($1) }
        case .nth(let count, let weekday): return 1 << UInt32(first(weekday) + (count - 1) * 7)
        case .last(let weekday):
            let fifth = first(weekday) + 28
            return 1 << UInt32(fifth <= length ? fifth : fifth - 7)
        }
    }

    /// The first day of the month with a weekday.
    private func first(_ weekday: Int64) -> Int64 { (weekday - firstWeekday + 7) % 7 + 1 }
}
