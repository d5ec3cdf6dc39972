extension Double {
    /// The number of thousandths that it is, such as a time in milliseconds; nil for a number with more digits. Decimal
    /// numbers of up to 15 digits are as many binary ones, so they are the shortest text.
    var thousandths: Int64? {
        guard magnitude < 1e12 else { return nil }
        let nearest = (self * 1_000).rounded()
        return nearest / 1_000 == self ? Int64(nearest) : nil
    }
}

/// The bytes of strings and whole numbers.
extension [UInt8] {
    /// Up to this length one pass that checks and copies bytes is faster than a check and a block copy.
    private static let onePassBytesMax = 48

    /// Appends a string in double quotes; only what RFC 8259 §7 requires is escaped.
    mutating func appendJSONString(_ text: String) {
        let utf8 = text.utf8.span
        if utf8.count <= Self.onePassBytesMax {
            let plainCount = appendQuotedPrefix(utf8)
            if plainCount == utf8.count { return }
            appendEscaped(utf8.extracting(plainCount...))
        } else {
            append(UInt8(ascii: "\""))
            if utf8.endOfPlainText(from: 0) == utf8.count {
                append(contentsOf: text.utf8)
            } else {
                appendEscaped(utf8)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// The number of bytes that `appendJSONString` appends.
    static func jsonStringCount(_ text: String) -> Int {
        let utf8 = text.utf8.span
        var count = utf8.count + 2
        for index in utf8.indices where utf8[index].endsPlainText {
            switch utf8[index] {
            case 0x22, 0x5C, 0x08, 0x09, 0x0A, 0x0C, 0x0D: count += 1
            default: count += 5
            }
        }
        return count
    }

    /// Appends the name of a member with its colon, in one piece since nearly all names need no escape.
    mutating func appendJSONName(_ name: String, afterComma: Bool) {
        let utf8 = name.utf8.span
        var isPlain = true
        append(addingCapacity: utf8.count + 4) { (output: inout OutputSpan<UInt8>) in
            if afterComma { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            var index = 0
            while index < utf8.count, !utf8[index].endsPlainText {
                output.append(utf8[index])
                index &+= 1
            }
            isPlain = index == utf8.count
            guard isPlain else { return output.removeAll() }
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
        }
        if isPlain { return }
        if afterComma { append(UInt8(ascii: ",")) }
        appendJSONString(name)
        append(UInt8(ascii: ":"))
    }

    /// Appends the opening quote and the prefix that needs no escape, and the closing quote when that is everything.
    private mutating func appendQuotedPrefix(_ utf8: Span<UInt8>) -> Int {
        var plainCount = 0
        append(addingCapacity: utf8.count + 2) { (output: inout OutputSpan<UInt8>) in
            output.append(UInt8(ascii: "\""))
            var index = 0
            while index < utf8.count, !utf8[index].endsPlainText {
                output.append(utf8[index])
                index &+= 1
            }
            plainCount = index
            if index == utf8.count { output.append(UInt8(ascii: "\"")) }
        }
        return plainCount
    }

    private mutating func appendEscaped(_ utf8: Span<UInt8>) {
        for index in utf8.indices {
            appendJSONCharacter(utf8[index])
        }
    }

    /// Appends one byte of a string, escaped when it must be.
    @inline(__always)
    mutating func appendJSONCharacter(_ byte: UInt8) {
        if byte.endsPlainText { appendEscape(byte) } else { append(byte) }
    }

    /// Appends `\u` and four digits.
    mutating func appendUnicodeEscape(_ unit: UInt16) {
        append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt16] {
            append(Self.hexDigit(UInt8(truncatingIfNeeded: unit >> shift & 15)))
        }
    }

    private mutating func appendEscape(_ byte: UInt8) {
        let short: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): short = byte
        case 0x08: short = UInt8(ascii: "b")
        case 0x09: short = UInt8(ascii: "t")
        case 0x0A: short = UInt8(ascii: "n")
        case 0x0C: short = UInt8(ascii: "f")
        case 0x0D: short = UInt8(ascii: "r")
        default: return appendUnicodeEscape(UInt16(byte))
        }
        append(UInt8(ascii: "\\"))
        append(short)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 + value - 10
    }

    /// Appends a number of thousandths in decimal, without zeros at the end.
    mutating func appendDecimal(thousandths: Int64) {
        if thousandths < 0 { append(UInt8(ascii: "-")) }
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
        appendDecimal(Int64(whole))
        if rest == 0 { return }
        append(UInt8(ascii: "."))
        let digits = (rest / 100, rest / 10 % 10, rest % 10)
        append(0x30 + UInt8(truncatingIfNeeded: digits.0))
        if digits.1 != 0 || digits.2 != 0 { append(0x30 + UInt8(truncatingIfNeeded: digits.1)) }
        if digits.2 != 0 { append(0x30 + UInt8(truncatingIfNeeded: digits.2)) }
    }

    /// Appends a whole number in decimal.
    mutating func appendDecimal(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = count
        repeat {
            append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest != 0
        var (left, right) = (start, count - 1)
        while left < right {
            swapAt(left, right)
            left += 1
            right -= 1
        }
    }
}
