/// The written form of a moment: RFC 3339 in UTC with milliseconds, such as `2026-11-21T10:00:04.120Z`.
extension Timestamp: CustomStringConvertible {
    /// The earliest moment that can be written: the first of the year 0.
    public static let earliestWritable = Timestamp(milliseconds: -62_167_219_200_000)
    /// The latest moment that can be written: the last millisecond of the year 9999.
    public static let latestWritable = Timestamp(milliseconds: 253_402_300_799_999)

    /// RFC 3339 in UTC with milliseconds, 24 characters. What lies outside the years 0 to 9999 is written as the
    /// nearest moment inside.
    public var description: String { String(decoding: utf8, as: UTF8.self) }

    /// The 24 bytes of the written form.
    public var utf8: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(to: &bytes)
        return bytes
    }

    /// Appends the 24 bytes of the written form.
    public func append(to bytes: inout [UInt8]) {
        let clamped = min(max(self, .earliestWritable), .latestWritable).milliseconds
        let day = clamped >= 0 ? clamped / 86_400_000 : -((86_399_999 - clamped) / 86_400_000)
        let inDay = clamped - day * 86_400_000
        let date = CalendarDate(daysSinceEpoch: day)
        bytes.append(addingCapacity: 24) { (output: inout OutputSpan<UInt8>) in
            Self.append(date.year / 100, to: &output)
            Self.append(date.year % 100, to: &output)
            output.append(UInt8(ascii: "-"))
            Self.append(date.month, to: &output)
            output.append(UInt8(ascii: "-"))
            Self.append(date.day, to: &output)
            output.append(UInt8(ascii: "T"))
            Self.append(inDay / 3_600_000, to: &output)
            output.append(UInt8(ascii: ":"))
            Self.append(inDay / 60_000 % 60, to: &output)
            output.append(UInt8(ascii: ":"))
            Self.append(inDay / 1_000 % 60, to: &output)
            output.append(UInt8(ascii: "."))
            let thousandths = inDay % 1_000
            output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: thousandths / 100))
            Self.append(thousandths % 100, to: &output)
            output.append(UInt8(ascii: "Z"))
        }
    }

    /// Two decimal digits of a number from 0 to 99.
    private static func append(_ number: Int64, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10))
        output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10))
    }
}

extension Timestamp {
    /// Parses an RFC 3339 text; nil when it is malformed. `parse` gives the reason.
    public init?(_ text: String) {
        guard let time = try? Self.parse(text) else { return nil }
        self = time
    }

    /// Parses an RFC 3339 text, such as `2026-11-21T10:00:00Z` or `2026-11-21T11:00:00.5+01:00`.
    ///
    /// Fractions of a second may have 1 to 9 digits, of which three are kept. A leap second (`23:59:60` UTC at the end
    /// of a month) is read as the following second.
    ///
    /// - Throws: `TimestampTextError` with the problem and the correct form.
    public static func parse(_ text: String) throws(TimestampTextError) -> Timestamp {
        let bytes = text.utf8.span
        guard bytes.count >= 20, bytes.count <= 35 else { throw .malformed }
        guard let year = number(bytes, 0, 4), let month = number(bytes, 5, 2), let day = number(bytes, 8, 2),
            let hour = number(bytes, 11, 2), let minute = number(bytes, 14, 2),
            let second = number(bytes, 17, 2),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] | 0x20 == UInt8(ascii: "t"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":")
        else { throw .malformed }
        guard (1...12).contains(month) else { throw .range("The month is \(month), not 01 to 12.") }
        let lastDay = CalendarDate.days(inMonth: month, ofYear: year)
        guard day >= 1, day <= lastDay else { throw .range("That month has \(lastDay) days, not \(day).") }
        guard hour <= 23 else { throw .range("The hour is \(hour), not 00 to 23.") }
        guard minute <= 59 else { throw .range("The minute is \(minute), not 00 to 59.") }
        guard second <= 60 else { throw .range("The second is \(second), not 00 to 59.") }
        var position = 19
        let thousandths = try fraction(bytes, &position)
        let offset = try offsetInMinutes(bytes, position)
        let days = CalendarDate(year: year, month: month, day: day).daysSinceEpoch
        let minutes = days * 1_440 + hour * 60 + minute - offset
        if second == 60 { try checkLeapSecond(lastMinute: minutes) }
        let time = Timestamp(milliseconds: (minutes * 60 + second) * 1_000 + (second == 60 ? 0 : thousandths))
        guard time >= .earliestWritable, time <= .latestWritable else {
            throw .range("In UTC the time lies outside the years 0000 to 9999.")
        }
        return time
    }

    private static func number(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> Int64? {
        var value: Int64 = 0
        for index in start..<start + count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    /// Milliseconds after an optional dot; moves `position` behind the digits.
    private static func fraction(
        _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(TimestampTextError) -> Int64 {
        guard bytes[position] == UInt8(ascii: ".") else { return 0 }
        position += 1
        let start = position
        var value: Int64 = 0
        while position < bytes.count, let digit = number(bytes, position, 1) {
            if position - start < 3 { value = value * 10 + digit }
            position += 1
        }
        let digits = position - start
        guard (1...9).contains(digits) else { throw .malformed }
        return digits == 1 ? value * 100 : digits == 2 ? value * 10 : value
    }

    /// Minutes east of UTC, from `Z`, `z`, `+hh:mm` or `-hh:mm` up to the end of the text.
    private static func offsetInMinutes(
        _ bytes: Span<UInt8>, _ position: Int
    ) throws(TimestampTextError) -> Int64 {
        guard position < bytes.count else { throw .noOffset }
        let sign = bytes[position]
        if sign | 0x20 == UInt8(ascii: "z") && position + 1 == bytes.count { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), position + 6 == bytes.count,
            bytes[position + 3] == UInt8(ascii: ":"), let hours = number(bytes, position + 1, 2),
            let minutes = number(bytes, position + 4, 2)
        else { throw .malformed }
        guard hours <= 23, minutes <= 59 else { throw .range("The offset from UTC is out of range.") }
        let offset = hours * 60 + minutes
        return sign == UInt8(ascii: "-") ? -offset : offset
    }

    private static func checkLeapSecond(lastMinute: Int64) throws(TimestampTextError) {
        let (day, rest) = (lastMinute + 1).quotientAndRemainder(dividingBy: 1_440)
        guard rest == 0, CalendarDate(daysSinceEpoch: day).day == 1 else {
            throw .range("Second 60 exists only as 23:59:60 UTC on the last day of a month.")
        }
    }
}

/// A text that is not a timestamp.
public struct TimestampTextError: Error, Sendable, Hashable {
    /// The problem and the correct form.
    public let detail: String

    static let malformed = TimestampTextError(
        detail: "This is not an RFC 3339 time. Write 2026-11-21T10:00:00Z or 2026-11-21T11:00:00+01:00.")
    static let noOffset = TimestampTextError(
        detail: "The time lacks its offset from UTC. End it with Z, or with an offset such as +01:00.")

    static func range(_ what: String) -> TimestampTextError {
        TimestampTextError(detail: "\(what) Write 2026-11-21T10:00:00Z.")
    }
}

/// A day of the proleptic Gregorian calendar.
package struct CalendarDate {
    package let year: Int64
    package let month: Int64
    package let day: Int64

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is this many days after 1970-01-01 (years 0 to 9999).
    package init(daysSinceEpoch days: Int64) {
        // Counted in eras of 400 years that begin on the first of March, so that a leap day ends its year.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01.
    package var daysSinceEpoch: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// 28 to 31.
    package static func days(inMonth month: Int64, ofYear year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
