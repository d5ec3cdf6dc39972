/// Finds the end of plain text in a JSON string, eight bytes at a time.
extension Span<UInt8> {
    /// The first position from `start` whose byte is special in a JSON string: a quotation mark, a backslash or a
    /// control character. `count` when there is none, `start` when that is past the end.
    @inline(__always)
    func endOfPlainText(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let found = Self.marks(in: word(at: index))
            if found != 0 { return index &+ found.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < count, !self[index].endsPlainText { index &+= 1 }
        return index
    }

    /// The position of the quotation mark that ends the string opened at `opening`; `count` when there is none.
    func endOfString(openedAt opening: Int) -> Int {
        var index = endOfPlainText(from: opening + 1)
        while index < count, self[index] != UInt8(ascii: "\"") {
            index = endOfPlainText(from: index + (self[index] == UInt8(ascii: "\\") ? 2 : 1))
        }
        return Swift.min(index, count)
    }

    /// Eight bytes in little-endian order. The compiler makes one load of it.
    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        let bytes = extracting(index..<index &+ 8)
        let low =
            UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
        let high =
            UInt64(bytes[4]) | UInt64(bytes[5]) << 8 | UInt64(bytes[6]) << 16 | UInt64(bytes[7]) << 24
        return low | high << 32
    }

    /// The highest bit of each byte that ends plain text. Above the lowest set bit others may be set falsely: the
    /// subtractions borrow from the next byte (Anderson, Bit Twiddling Hacks, "haszero" and "hasless").
    @inline(__always)
    private static func marks(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = (word ^ 0x2222_2222_2222_2222) &- ones
        let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- ones
        let controls = word &- 0x2020_2020_2020_2020
        return (quotes | backslashes | controls) & ~word & 0x8080_8080_8080_8080
    }
}

extension UInt8 {
    /// Whether the byte is a quotation mark, a backslash or a control character, which end plain text in a string (RFC
    /// 8259 §7).
    @inline(__always)
    var endsPlainText: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }
}
