extension IPAddress {
    /// The IPv4 address that old C libraries (`inet_aton`) and browsers read in `text`, or nil: one to four parts, each
    /// decimal, octal with a leading `0` or hexadecimal with `0x`; the last part fills the rest.
    ///
    /// `127.1`, `2130706433`, `017700000001` and `0x7f.1` all give 127.0.0.1. Only for recognising disguised targets;
    /// the server's own input is read by the strict `init(_:)`.
    public init?(legacyIPv4 text: String) {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard (1...4).contains(parts.count) else { return nil }
        var bits: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = Self.legacyNumber(part.utf8) else { return nil }
            if index < parts.count - 1 {
                guard number <= 255 else { return nil }
                bits = bits << 8 | number
            } else {
                let width = UInt64(32 - 8 * index)
                guard number < 1 << width else { return nil }
                bits = bits << width | number
            }
        }
        self.init(v4: UInt32(truncatingIfNeeded: bits))
    }

    private static func legacyNumber(_ text: Substring.UTF8View) -> UInt64? {
        var digits = Array(text)
        var radix: UInt64 = 10
        if digits.count >= 2, digits[0] == 0x30, digits[1] | 0x20 == 0x78 {
            radix = 16
            digits.removeFirst(2)
            if digits.isEmpty { return 0 }
        } else if digits.count >= 2, digits[0] == 0x30 {
            radix = 8
        }
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard let digit = byte.hexDigitValue, UInt64(digit) < radix else { return nil }
            number = number * radix + UInt64(digit)
            guard number <= 0xFFFF_FFFF else { return nil }
        }
        return number
    }
}
