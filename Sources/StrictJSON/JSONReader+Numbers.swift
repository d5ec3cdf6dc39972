/// Numbers: `-`, digits without a leading zero, a fraction, an exponent (RFC 8259 §6). Only the text is kept.
extension JSONReader {
    /// Reads a number; `offset` is at `-` or a digit.
    mutating func number(_ bytes: Span<UInt8>) throws(JSONFault) -> JSONNumber {
        let start = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        try wholePart(bytes, start: start)
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            guard skipDigits(bytes) > 0 else {
                throw .noDigits(bytes, at: offset, after: "the decimal point")
            }
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-")
            {
                offset += 1
            }
            guard skipDigits(bytes) > 0 else {
                throw .noDigits(bytes, at: offset, after: "the exponent sign e")
            }
        }
        if offset < bytes.count, Self.isNumberLike(bytes[offset]) { throw .oddNumber(bytes, at: offset) }
        guard offset - start <= limits.numberBytesMax else {
            throw .longNumber(at: start, count: offset - start, limit: limits.numberBytesMax)
        }
        guard let text = try? UTF8Span(validating: bytes.extracting(start..<offset)) else {
            throw .oddNumber(bytes, at: start)
        }
        return JSONNumber(checkedText: String(copying: text))
    }

    private mutating func wholePart(_ bytes: Span<UInt8>, start: Int) throws(JSONFault) {
        let firstDigit = offset
        let count = skipDigits(bytes)
        guard count > 0 else { throw .noDigits(bytes, at: offset, after: "the minus sign") }
        if count > 1, bytes[firstDigit] == UInt8(ascii: "0") { throw .leadingZero(at: firstDigit) }
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) -> Int {
        let start = offset
        var index = start
        while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
        offset = index
        return index - start
    }

    /// Whether a byte after a number looks like part of it.
    private static func isNumberLike(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
