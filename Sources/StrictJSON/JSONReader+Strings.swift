/// Strings: escapes, surrogates and UTF-8.
extension JSONReader {
    /// Reads a string; `offset` is at the opening quotation mark.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONFault) -> String {
        let start = offset + 1
        let end = bytes.endOfPlainText(from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            return try stringWithEscapes(bytes, start: start, firstSpecial: end)
        }
        offset = end + 1
        return try text(bytes, start..<end)
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONFault) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw .notUTF8(error, from: range.lowerBound)
        }
    }

    private mutating func stringWithEscapes(
        _ bytes: Span<UInt8>, start: Int, firstSpecial: Int
    ) throws(JSONFault) -> String {
        unescaped.removeAll(keepingCapacity: true)
        append(bytes, start..<firstSpecial)
        offset = firstSpecial
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                // Escapes never complete or break a sequence of raw bytes: when these are valid, so is the result.
                _ = try text(bytes, start..<offset)
                offset += 1
                return String(decoding: unescaped, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(bytes)
            case 0..<0x20: throw .controlCharacter(byte, at: offset)
            default:
                let runStart = offset
                offset = bytes.endOfPlainText(from: offset + 1)
                append(bytes, runStart..<offset)
            }
        }
        throw .openString(bytes, openedAt: start - 1)
    }

    private mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        // The storage that all empty arrays share would be written to, with what it has.
        if range.isEmpty { return }
        unescaped.append(addingCapacity: range.count) { (output: inout OutputSpan<UInt8>) in
            for index in range { output.append(bytes[index]) }
        }
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = offset
        guard start + 1 < bytes.count else { throw .openEscape(at: bytes.count) }
        offset += 2
        switch bytes[start + 1] {
        case UInt8(ascii: "\""): unescaped.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): unescaped.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): unescaped.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"): try unicodeEscape(bytes, start: start)
        default: throw .unknownEscape(bytes, at: start)
        }
    }

    private mutating func unicodeEscape(_ bytes: Span<UInt8>, start: Int) throws(JSONFault) {
        let unit = try fourHexDigits(bytes, escapeAt: start)
        var scalar = UInt32(unit)
        if (0xDC00...0xDFFF).contains(unit) { throw .loneSurrogate(at: start, isHigh: false) }
        if (0xD800...0xDBFF).contains(unit) {
            let second = offset
            guard second + 1 < bytes.count, bytes[second] == UInt8(ascii: "\\"),
                bytes[second + 1] == UInt8(ascii: "u")
            else { throw .loneSurrogate(at: start, isHigh: true) }
            offset += 2
            let low = try fourHexDigits(bytes, escapeAt: second)
            guard (0xDC00...0xDFFF).contains(low) else { throw .loneSurrogate(at: start, isHigh: true) }
            scalar = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(scalar) else { throw .loneSurrogate(at: start, isHigh: true) }
        unescaped.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// The number in the four hexadecimal digits at `offset`.
    private mutating func fourHexDigits(_ bytes: Span<UInt8>, escapeAt start: Int) throws(JSONFault) -> UInt16
    {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard offset < bytes.count, let digit = Self.hexDigit(bytes[offset]) else {
                throw .shortUnicodeEscape(at: start)
            }
            unit = unit << 4 | digit
            offset += 1
        }
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte) - 0x61 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte) - 0x41 + 10
        default: nil
        }
    }
}
