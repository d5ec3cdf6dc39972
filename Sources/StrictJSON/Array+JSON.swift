/// How strings and whole numbers become bytes.
extension [UInt8] {
    /// Up to this length one pass that checks and copies bytes is faster than a check and a block copy.
    private static let onePassBytesMax = 48

    /// Appends a string in double quotes; only what RFC 8259 §7 demands is escaped.
    mutating func appendJSONString(_ text: String) {
        let utf8 = text.utf8.span
        if utf8.count <= Self.onePassBytesMax {
            let plainCount = appendQuotedPrefix(utf8)
            if plainCount == utf8.count { return }
            appendEscaped(utf8.extracting(plainCount...))
        } else {
            append(UInt8(ascii: "\""))
            var index = 0
            while index < utf8.count, !Self.mustBeEscaped(utf8[index]) { index += 1 }
            if index == utf8.count {
                append(contentsOf: text.utf8)
            } else {
                appendEscaped(utf8)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends the opening quote and what needs no escape, and the closing quote when that is everything.
    private mutating func appendQuotedPrefix(_ utf8: Span<UInt8>) -> Int {
        var plainCount = 0
        append(addingCapacity: utf8.count + 2) { (output: inout OutputSpan<UInt8>) in
            output.append(UInt8(ascii: "\""))
            var index = 0
            while index < utf8.count, !Self.mustBeEscaped(utf8[index]) {
                output.append(utf8[index])
                index += 1
            }
            plainCount = index
            if index == utf8.count { output.append(UInt8(ascii: "\"")) }
        }
        return plainCount
    }

    private mutating func appendEscaped(_ utf8: Span<UInt8>) {
        for index in utf8.indices {
            let byte = utf8[index]
            if Self.mustBeEscaped(byte) { appendEscape(byte) } else { append(byte) }
        }
    }

    @inline(__always)
    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append(contentsOf: "u00".utf8)
            append(Self.hexDigit(byte >> 4))
            append(Self.hexDigit(byte & 15))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 + value - 10
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
