/// Reads the three forms of an HTTP date:
/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
struct HTTPDateReader {
    let text: [UInt8]
    let now: HTTPDate
    private var position = 0

    init(text: [UInt8], now: HTTPDate) {
        self.text = text
        self.now = now
    }

    /// Seconds since 1970; nil when the whole text is none of the forms.
    mutating func read() -> Int64? {
        guard text.count <= 40, let comma = text.firstIndex(of: 0x2C) else { return readAsctime() }
        return comma == 3 ? readFixdate() : readRFC850()
    }

    private mutating func readFixdate() -> Int64? {
        guard let weekday = takeName(CivilDate.shortDayNames), take(", "), let day = takeNumber(2), take(" "),
            let month = takeName(CivilDate.monthNames), take(" "), let year = takeNumber(4), take(" "),
            let time = takeTime(), take(" GMT"), position == text.count
        else { return nil }
        return seconds(weekday, CivilDate(year: year, month: month + 1, day: day), time)
    }

    private mutating func readAsctime() -> Int64? {
        guard let weekday = takeName(CivilDate.shortDayNames), take(" "),
            let month = takeName(CivilDate.monthNames), take(" "),
            let day = take(" ") ? takeNumber(1) : takeNumber(2), take(" "),
            let time = takeTime(), take(" "), let year = takeNumber(4), position == text.count
        else { return nil }
        return seconds(weekday, CivilDate(year: year, month: month + 1, day: day), time)
    }

    private mutating func readRFC850() -> Int64? {
        guard let weekday = takeName(CivilDate.longDayNames), take(", "), let day = takeNumber(2), take("-"),
            let month = takeName(CivilDate.monthNames), take("-"), let shortYear = takeNumber(2), take(" "),
            let time = takeTime(), take(" GMT"), position == text.count
        else { return nil }
        // The latest year with these digits that is not more than 50 years ahead (RFC 9110 §5.6.7).
        let thisYear = CivilDate(daysSince1970: Int(now.secondsSince1970 / 86_400)).year
        let latest = thisYear + 50
        let year = latest - (((latest - shortYear) % 100) + 100) % 100
        let date = CivilDate(year: year, month: month + 1, day: day)
        let limit = now.secondsSince1970 + 50 * 31_556_952
        guard let found = seconds(weekday, date, time), found <= limit else {
            return seconds(weekday, CivilDate(year: year - 100, month: month + 1, day: day), time)
        }
        return found
    }

    private func seconds(_ weekday: Int, _ date: CivilDate?, _ time: Int) -> Int64? {
        guard let date, date.weekday == weekday else { return nil }
        return Int64(date.daysSince1970) * 86_400 + Int64(time)
    }

    /// `08:49:37` in seconds of the day. A leap second counts as the one before it.
    private mutating func takeTime() -> Int? {
        guard let hour = takeNumber(2), take(":"), let minute = takeNumber(2), take(":"),
            let second = takeNumber(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + min(second, 59)
    }

    private mutating func takeNumber(_ digits: Int) -> Int? {
        guard text.count - position >= digits else { return nil }
        var value = 0
        for byte in text[position..<(position + digits)] {
            guard byte.isDigitByte else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += digits
        return value
    }

    private mutating func takeName(_ names: [String]) -> Int? {
        for (index, name) in names.enumerated() where take(name) { return index }
        return nil
    }

    private mutating func take(_ wanted: String) -> Bool {
        guard text[position...].starts(with: wanted.utf8) else { return false }
        position += wanted.utf8.count
        return true
    }
}
