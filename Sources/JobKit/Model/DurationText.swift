/// The written forms of a duration.
///
/// Read are ISO 8601 (`PT1H30M`, `P1D`, `PT0.25S`, `P2W`) and numbers with units in falling order (`90s`, `1h30m`,
/// `250ms`, `1.5s`). Only seconds take a fraction, of at most 9 digits. Years and months are refused: their length
/// varies. Written are numbers with units.
package enum DurationText {
    /// Parses a duration; never negative.
    ///
    /// - Throws: `DurationTextError` with the permitted forms and, where the meaning is clear, the correct spelling.
    package static func parse(_ text: String) throws(DurationTextError) -> Duration {
        let bytes = text.utf8.span
        guard bytes.count >= 2, bytes.count <= 64 else { throw DurationTextError(unreadable: text) }
        var reader = Reader()
        do {
            if bytes[0] == UInt8(ascii: "P") { return try reader.readISO8601(bytes) }
            return try reader.readUnits(bytes)
        } catch {
            switch error {
            case .unreadable: throw DurationTextError(unreadable: text)
            case .calendar: throw .calendar
            case .tooLong: throw .tooLong
            }
        }
    }

    /// The short form: days, hours, minutes and seconds with as much fraction as is needed, such as `1d2h`, `1.5s`,
    /// `250ms` or `0s`. A negative duration has a leading minus.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if seconds < 0 || attoseconds < 0 {
            return seconds == .min ? "-106751991167300d15h30m8s" : "-" + text(.zero - duration)
        }
        let (milliseconds, finer) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        if seconds == 0, milliseconds > 0, finer == 0 { return "\(milliseconds)ms" }
        var text = ""
        if seconds >= 86_400 { text += "\(seconds / 86_400)d" }
        let rest = seconds % 86_400
        if rest >= 3_600 { text += "\(rest / 3_600)h" }
        if rest / 60 % 60 > 0 { text += "\(rest / 60 % 60)m" }
        if rest % 60 > 0 || attoseconds > 0 || text.isEmpty {
            text += "\(rest % 60)"
            if attoseconds > 0 { text += "." + fraction(attoseconds) }
            text += "s"
        }
        return text
    }

    /// The fractional digits, without trailing zeros.
    private static func fraction(_ attoseconds: Int64) -> String {
        var digits = String(attoseconds)
        digits = String(repeating: "0", count: 18 - digits.utf8.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return digits
    }
}

extension DurationText {
    /// A number with an optional fraction.
    private struct Quantity {
        var whole: Int64
        var nanoseconds: Int64 = 0
        var hasFraction = false
    }

    private struct Reader {
        var position = 0
        /// The last unit, to hold the order.
        var last: Unit?
        var total = Duration.zero

        /// `P` has been read.
        mutating func readISO8601(_ bytes: Span<UInt8>) throws(Failure) -> Duration {
            position = 1
            var inTime = false
            while position < bytes.count {
                if !inTime && bytes[position] == UInt8(ascii: "T") {
                    inTime = true
                    position += 1
                }
                let amount = try quantity(bytes)
                let letter = try next(bytes)
                if letter == UInt8(ascii: "Y") || (letter == UInt8(ascii: "M") && !inTime) { throw .calendar }
                guard let unit = Unit(iso8601: letter, inTime: inTime) else { throw .unreadable }
                try add(amount, unit)
            }
            return total
        }

        mutating func readUnits(_ bytes: Span<UInt8>) throws(Failure) -> Duration {
            while position < bytes.count {
                let amount = try quantity(bytes)
                try add(amount, try unit(bytes))
            }
            return total
        }

        /// A unit of the short form: `w d h m s ms`.
        private mutating func unit(_ bytes: Span<UInt8>) throws(Failure) -> Unit {
            switch try next(bytes) {
            case UInt8(ascii: "w"): return .week
            case UInt8(ascii: "d"): return .day
            case UInt8(ascii: "h"): return .hour
            case UInt8(ascii: "s"): return .second
            case UInt8(ascii: "m"):
                guard position < bytes.count, bytes[position] == UInt8(ascii: "s") else { return .minute }
                position += 1
                return .millisecond
            default: throw .unreadable
            }
        }

        private mutating func next(_ bytes: Span<UInt8>) throws(Failure) -> UInt8 {
            guard position < bytes.count else { throw .unreadable }
            position += 1
            return bytes[position - 1]
        }

        private mutating func quantity(_ bytes: Span<UInt8>) throws(Failure) -> Quantity {
            let start = position
            var whole: Int64 = 0
            while position < bytes.count, let digit = digit(bytes[position]) {
                guard whole <= 100_000_000_000_000_000 else { throw .tooLong }
                whole = whole * 10 + digit
                position += 1
            }
            guard position > start else { throw .unreadable }
            guard position < bytes.count, bytes[position] == UInt8(ascii: ".") else {
                return Quantity(whole: whole)
            }
            position += 1
            var nanoseconds: Int64 = 0
            var scale: Int64 = 100_000_000
            let first = position
            while position < bytes.count, let digit = digit(bytes[position]) {
                guard scale > 0 else { throw .unreadable }
                nanoseconds += digit * scale
                scale /= 10
                position += 1
            }
            guard position > first else { throw .unreadable }
            return Quantity(whole: whole, nanoseconds: nanoseconds, hasFraction: true)
        }

        private func digit(_ byte: UInt8) -> Int64? {
            let digit = byte &- UInt8(ascii: "0")
            return digit <= 9 ? Int64(digit) : nil
        }

        private mutating func add(_ amount: Quantity, _ unit: Unit) throws(Failure) {
            if let last, unit.rawValue >= last.rawValue { throw .unreadable }
            if amount.hasFraction && unit != .second { throw .unreadable }
            last = unit
            guard amount.whole <= DurationText.millisecondsMax / unit.rawValue else { throw .tooLong }
            total += .milliseconds(amount.whole * unit.rawValue) + .nanoseconds(amount.nanoseconds)
        }
    }

    /// A thousand years: beyond the limits of all clocks here, and far below the maximum of `Duration`.
    private static let millisecondsMax: Int64 = 31_622_400_000_000

    private enum Failure: Error {
        case unreadable, calendar, tooLong
    }

    /// A unit with its length in milliseconds.
    private enum Unit: Int64 {
        case millisecond = 1
        case second = 1_000
        case minute = 60_000
        case hour = 3_600_000
        case day = 86_400_000
        case week = 604_800_000

        init?(iso8601 letter: UInt8, inTime: Bool) {
            switch (letter, inTime) {
            case (UInt8(ascii: "W"), false): self = .week
            case (UInt8(ascii: "D"), false): self = .day
            case (UInt8(ascii: "H"), true): self = .hour
            case (UInt8(ascii: "M"), true): self = .minute
            case (UInt8(ascii: "S"), true): self = .second
            default: return nil
            }
        }
    }
}

/// A text that is not a duration.
package struct DurationTextError: Error, Sendable, Hashable {
    /// The problem and the permitted forms.
    package let detail: String
    /// The correct spelling of the same duration, when the meaning is clear: `90s` for `90 seconds`.
    package let suggestion: String?

    private static let allowed =
        "Write ISO 8601 such as \"PT1H30M\", or numbers with w, d, h, m, s or ms such as \"90s\"."

    init(detail: String, suggestion: String? = nil) {
        self.detail = detail
        self.suggestion = suggestion
    }

    init(unreadable text: String) {
        self.init(detail: "This is not a duration. \(Self.allowed)", suggestion: Self.guess(text))
    }

    static let calendar = DurationTextError(
        detail: "Years and months have no fixed length. Use weeks or days. \(allowed)")
    static let tooLong = DurationTextError(detail: "The duration is longer than a thousand years.")

    /// The likely meaning of `90`, `90 seconds`, `5min`, `1h30` or `PT1H30m`.
    private static func guess(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        var guess = ""
        var last = ""
        var rest = text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "_") }[...]
        if rest.first == UInt8(ascii: "p") { rest = rest.dropFirst().filter { $0 != UInt8(ascii: "t") }[...] }
        while let first = rest.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") {
            let isNumber: (UInt8) -> Bool = {
                $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") || $0 == UInt8(ascii: ".")
            }
            let number = rest.prefix(while: isNumber)
            rest = rest.dropFirst(number.count)
            let word = rest.prefix { !isNumber($0) }
            rest = rest.dropFirst(word.count)
            guard let unit = unit(String(decoding: word, as: UTF8.self), after: last) else { return nil }
            last = unit
            guess += String(decoding: number, as: UTF8.self) + unit
        }
        guard rest.isEmpty, !guess.isEmpty, guess != text, (try? DurationText.parse(guess)) != nil else {
            return nil
        }
        return guess
    }

    /// The unit that a word means. Without a word it is the next smaller one than the last, and else seconds.
    private static func unit(_ word: String, after last: String) -> String? {
        switch word {
        case "" where !last.isEmpty: ["w": "d", "d": "h", "h": "m", "m": "s"][last]
        case "w", "wk", "week", "weeks": "w"
        case "d", "day", "days": "d"
        case "h", "hr", "hrs", "hour", "hours": "h"
        case "m", "min", "mins", "minute", "minutes": "m"
        case "", "s", "sec", "secs", "second", "seconds": "s"
        case "ms", "msec", "msecs", "millis", "millisecond", "milliseconds": "ms"
        default: nil
        }
    }
}
