/// The byte classes of RFC 9110 and RFC 3986, as tests on two 64-bit masks or comparisons without a table in memory.
extension UInt8 {
    @inline(__always)
    func isIn(_ low: UInt64, _ high: UInt64) -> Bool {
        let mask = self < 64 ? low : high
        return self < 128 && (mask >> UInt64(self & 63)) & 1 == 1
    }

    /// `tchar` of RFC 9110 §5.6.2: ``!#$%&'*+-.^_`|~``, digits and letters.
    @inline(__always)
    var isTokenByte: Bool { isIn(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE) }

    /// A byte allowed inside a field value: visible ASCII, space, tab and `obs-text` (RFC 9110 §5.5).
    @inline(__always)
    var isFieldValueByte: Bool { self >= 0x20 ? self != 0x7F : self == 0x09 }

    /// A byte accepted in a request target: visible ASCII except `"`, `#`, `<`, `>` and the backslash.
    @inline(__always)
    var isTargetByte: Bool { isIn(0xAFFF_FFF2_0000_0000, 0x7FFF_FFFF_EFFF_FFFF) }

    /// `unreserved` of RFC 3986 §2.3.
    @inline(__always)
    var isUnreservedByte: Bool { isIn(0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE) }

    /// `sub-delims` of RFC 3986 §2.2.
    @inline(__always)
    var isSubDelimiterByte: Bool { isIn(0x2800_1FD2_0000_0000, 0) }

    /// `gen-delims` of RFC 3986 §2.2.
    @inline(__always)
    var isGeneralDelimiterByte: Bool { isIn(0x8400_8008_0000_0000, 0x0000_0000_2800_0001) }

    /// `0`…`9`.
    @inline(__always)
    var isDigitByte: Bool { self &- 0x30 < 10 }

    /// `A`…`Z`, `a`…`z`.
    @inline(__always)
    var isLetterByte: Bool { (self | 0x20) &- 0x61 < 26 }

    /// A space or a tab.
    @inline(__always)
    var isBlankByte: Bool { self == 0x20 || self == 0x09 }

    /// The lower-case letter of an ASCII capital; other bytes unchanged.
    @inline(__always)
    var lowercasedByte: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit in either case, or nil.
    @inline(__always)
    var hexDigitValue: UInt8? {
        if isDigitByte { return self &- 0x30 }
        let small = self | 0x20
        return small &- 0x61 < 6 ? small &- 0x57 : nil
    }
}

extension Span<UInt8> {
    /// Whether the bytes from `start` to `end` equal `text`, ignoring the case of ASCII letters.
    @inline(__always)
    func spells(_ text: String, from start: Int, to end: Int) -> Bool {
        spells(text.utf8.span, from: start, to: end)
    }

    /// Whether the bytes from `start` to `end` are these, ASCII letters compared without case.
    @inline(__always)
    func spells(_ wanted: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard wanted.count == end - start else { return false }
        for index in 0..<wanted.count
        where self[start + index].lowercasedByte != wanted[index].lowercasedByte {
            return false
        }
        return true
    }

    /// Whether both contain the same bytes. Compares many at a time.
    @inline(__always)
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<count { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}
