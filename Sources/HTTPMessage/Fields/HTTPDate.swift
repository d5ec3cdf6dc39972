/// A point in time as HTTP writes it: whole seconds, UTC (RFC 9110 §5.6.7).
package struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted: years 0 to 9999.
    package let secondsSince1970: Int64

    /// The year 0 starts and the year 9999 ends here.
    static let secondsRange: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// The date with this number of seconds since 1970, clamped to the years 0 to 9999.
    package init(secondsSince1970: Int64) {
        self.secondsSince1970 = min(
            max(secondsSince1970, Self.secondsRange.lowerBound), Self.secondsRange.upperBound)
    }

    /// Parses a date in any of the three forms of RFC 9110 §5.6.7. The name of the day must match.
    ///
    /// - Parameter now: decides the century of the two-digit years of RFC 850: a date that would be more than 50 years
    ///   in the future is in the past.
    package init?(_ text: String, now: HTTPDate = HTTPDate(secondsSince1970: 1_767_225_600)) {
        var reader = HTTPDateReader(text: Array(text.utf8), now: now)
        guard let seconds = reader.read() else { return nil }
        self.init(secondsSince1970: seconds)
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    /// As IMF-fixdate, always 29 characters: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var description: String {
        let (day, second) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
        let days = Int(second < 0 ? day - 1 : day)
        let ofDay = Int(second < 0 ? second + 86_400 : second)
        let date = CivilDate(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text.append(contentsOf: CivilDate.shortDayNames[date.weekday].utf8)
        text.append(contentsOf: ", ".utf8)
        Self.append(date.day, to: &text)
        text.append(0x20)
        text.append(contentsOf: CivilDate.monthNames[date.month - 1].utf8)
        text.append(0x20)
        Self.append(date.year / 100, to: &text)
        Self.append(date.year % 100, to: &text)
        for (mark, part) in [(0x20, ofDay / 3600), (0x3A, ofDay / 60 % 60), (0x3A, ofDay % 60)]
            as [(UInt8, Int)]
        {
            text.append(mark)
            Self.append(part, to: &text)
        }
        text.append(contentsOf: " GMT".utf8)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ twoDigits: Int, to text: inout [UInt8]) {
        text.append(0x30 + UInt8(truncatingIfNeeded: twoDigits / 10))
        text.append(0x30 + UInt8(truncatingIfNeeded: twoDigits % 10))
    }
}
