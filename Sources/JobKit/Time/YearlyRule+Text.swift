extension YearlyRule {
    /// Parses a POSIX TZ text (RFC 9636 §3.3); nil without a yearly rule.
    init?(_ text: some Sequence<UInt8>) {
        var reader = RuleReader(Array(text))
        guard reader.skipName(), let west = reader.time() else { return nil }
        self.init(standard: -west)
        guard !reader.isAtEnd else { return }
        guard reader.skipName() else { return nil }
        var summerOffset = standard + 3_600
        if reader.next != UInt8(ascii: ",") {
            guard let west = reader.time() else { return nil }
            summerOffset = -west
        }
        guard let begin = reader.change(), let end = reader.change(), reader.isAtEnd else { return nil }
        self.summerOffset = summerOffset
        self.begin = begin
        self.end = end
    }
}

/// Reads the parts of a POSIX TZ text.
private struct RuleReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var next: UInt8? { index < bytes.count ? bytes[index] : nil }
    var isAtEnd: Bool { index >= bytes.count }

    private mutating func take(_ byte: Character) -> Bool {
        guard let value = byte.asciiValue, next == value else { return false }
        index += 1
        return true
    }

    /// `CET`, or `<+03>`.
    mutating func skipName() -> Bool {
        let start = index
        if take("<") {
            while let byte = next, byte != UInt8(ascii: ">") { index += byte == 0 ? bytes.count : 1 }
            return take(">")
        }
        while let byte = next, (byte | 0x20) &- 0x61 < 26 { index += 1 }
        return index - start >= 3
    }

    private mutating func number() -> Int64? {
        let start = index
        var value: Int64 = 0
        while let byte = next, byte &- 0x30 < 10, index - start < 6 {
            value = value * 10 + Int64(byte - 0x30)
            index += 1
        }
        return index > start ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` as seconds.
    mutating func time() -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = number(), hours <= 167 else { return nil }
        var seconds = hours * 3_600
        for unit: Int64 in [60, 1] where take(":") {
            guard let value = number(), value < 60 else { return nil }
            seconds += value * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// `,M3.5.0/2`, `,J60` or `,59`.
    mutating func change() -> YearlyRule.Change? {
        guard take(","), let day = day() else { return nil }
        guard take("/") else { return .init(day: day, seconds: 7_200) }
        return time().map { .init(day: day, seconds: $0) }
    }

    private mutating func day() -> YearlyRule.Change.Day? {
        if take("M") {
            guard let month = number(), (1...12).contains(month), take("."), let week = number(),
                (1...5).contains(week), take("."), let weekday = number(), weekday <= 6
            else { return nil }
            return .weekday(weekday, week: week, month: month)
        }
        if take("J") { return number().flatMap { (1...365).contains($0) ? .julian($0) : nil } }
        return number().flatMap { $0 <= 365 ? .ofYear($0) : nil }
    }
}
