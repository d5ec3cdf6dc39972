/// A duration as Go writes it and the fields of language models carry it: `1s`, `6m0s`, `1h2m3.5s`, `33.01ms`. Specs
/// have another form, `DurationText`, in which a millisecond takes no fraction.
enum UnitDuration {
    /// The longest text that is read, in bytes.
    private static let bytesMax = 40
    /// The most digits before a point.
    private static let digitsMax = 12
    /// The digits after a point that count.
    private static let fractionDigitsMax = 9

    /// Reads a duration, rounded up to a millisecond; nil for anything else, such as a sign or a number without a unit.
    static func read(_ text: String) -> Duration? {
        var rest = text.utf8[...]
        guard !rest.isEmpty, rest.count <= bytesMax else { return nil }
        var sum = Duration.zero
        while !rest.isEmpty {
            let whole = digits(&rest)
            guard whole.count <= digitsMax else { return nil }
            var fraction: Substring.UTF8View?
            if rest.first == 0x2E {
                rest.removeFirst()
                fraction = digits(&rest)
            }
            guard !(whole.isEmpty && fraction?.isEmpty != false), let unit = unit(&rest) else { return nil }
            sum += unit * value(whole)
            if let counted = fraction?.prefix(fractionDigitsMax) {
                sum += unit * value(counted) / (0..<counted.count).reduce(1) { scale, _ in scale * 10 }
            }
        }
        let (seconds, attoseconds) = sum.components
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return .seconds(seconds) + .milliseconds(milliseconds)
    }

    private static func digits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
        let found = rest.prefix(while: \.isDigitByte)
        rest = rest[found.endIndex...]
        return found
    }

    private static func value(_ digits: Substring.UTF8View) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The unit at the beginning, which is taken.
    private static func unit(_ rest: inout Substring.UTF8View) -> Duration? {
        let name = rest.prefix { !$0.isDigitByte && $0 != 0x2E }
        rest = rest[name.endIndex...]
        switch Array(name) {
        case Array("h".utf8): return .seconds(3_600)
        case Array("m".utf8): return .seconds(60)
        case Array("s".utf8): return .seconds(1)
        case Array("ms".utf8): return .milliseconds(1)
        // The sign of micro and the Greek letter look the same.
        case Array("us".utf8), Array("\u{B5}s".utf8), Array("\u{3BC}s".utf8): return .microseconds(1)
        case Array("ns".utf8): return .nanoseconds(1)
        default: return nil
        }
    }
}
