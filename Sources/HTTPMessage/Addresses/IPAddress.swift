/// An IPv4 or IPv6 address.
///
/// The text forms are strict: four decimal numbers without leading zeros for IPv4, RFC 4291 §2.2 for IPv6, no zone.
/// `127.1`, `0x7f.1` and the like are names here, not addresses.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// Whether this is an IPv4 address.
    public let isIPv4: Bool
    /// The first eight bytes of an IPv6 address, in network order; 0 for IPv4.
    public let high: UInt64
    /// The last eight bytes of an IPv6 address, in network order; for IPv4 its four bytes.
    public let low: UInt64

    /// An IPv4 address from its 32 bits in reading order: 0x7f000001 is `127.0.0.1`.
    public init(v4 bits: UInt32) {
        isIPv4 = true
        high = 0
        low = UInt64(bits)
    }

    /// An IPv6 address from its two halves in reading order: (0, 1) is `::1`.
    public init(v6High high: UInt64, low: UInt64) {
        isIPv4 = false
        self.high = high
        self.low = low
    }

    /// An address from 4 or 16 bytes in network order; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(v4: UInt32(truncatingIfNeeded: number(bytes)))
        case 16: self.init(v6High: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// Parses an address; nil when `text` is not one. No brackets, no port, no zone.
    public init?(_ text: String) {
        var reader = IPAddressReader(Array(text.utf8))
        guard let address = reader.address() else { return nil }
        self = address
    }

    /// The IPv4 address inside an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`); any other address unchanged.
    public var unmapped: IPAddress {
        guard !isIPv4, high == 0, low >> 32 == 0xffff else { return self }
        return IPAddress(v4: UInt32(truncatingIfNeeded: low))
    }

    /// The bytes in network order: 4 or 16.
    public var bytes: [UInt8] {
        func split(_ number: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64((count - 1 - $0) * 8)) }
        }
        return isIPv4 ? split(low, 4) : split(high, 8) + split(low, 8)
    }

    /// The canonical text: `192.0.2.1`, or RFC 5952 for IPv6 (`2001:db8::1`).
    public var description: String {
        if isIPv4 { return Self.dotted(low) }
        if high == 0, low >> 32 == 0xffff { return "::ffff:" + Self.dotted(low & 0xffff_ffff) }
        let groups = (0..<8).map { index in
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64((3 - index % 4) * 16))
        }
        func text(_ groups: some Sequence<UInt16>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let zeros = Self.longestZeros(groups) else { return text(groups) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    private static func dotted(_ bits: UInt64) -> String {
        "\(bits >> 24 & 0xff).\(bits >> 16 & 0xff).\(bits >> 8 & 0xff).\(bits & 0xff)"
    }

    /// The first longest run of at least two zero groups.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start >= 2, index - start > best?.count ?? 0 { best = start..<index }
            start = index + 1
        }
        return best
    }
}

/// Parses the text of one address.
private struct IPAddressReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func address() -> IPAddress? {
        guard text.count <= 45 else { return nil }
        let address = text.contains(UInt8(ascii: ":")) ? version6() : version4().map(IPAddress.init(v4:))
        return position == text.count ? address : nil
    }

    private mutating func version4() -> UInt32? {
        var bits: UInt32 = 0
        for index in 0..<4 {
            if index > 0, !take(UInt8(ascii: ".")) { return nil }
            guard let part = decimal() else { return nil }
            bits = bits << 8 | part
        }
        return bits
    }

    private mutating func decimal() -> UInt32? {
        let start = position
        var value: UInt32 = 0
        while position < text.count, (0x30...0x39).contains(text[position]), position - start < 3 {
            value = value * 10 + UInt32(text[position] - 0x30)
            position += 1
        }
        let isPadded = position - start > 1 && text[start] == 0x30
        return position > start && value <= 255 && !isPadded ? value : nil
    }

    private mutating func version6() -> IPAddress? {
        var groups: [UInt16] = []
        var gap: Int?
        if take(UInt8(ascii: ":")) {
            guard take(UInt8(ascii: ":")) else { return nil }
            gap = 0
        }
        while position < text.count {
            guard let new = piece(room: 8 - groups.count) else { return nil }
            groups += new
            if position == text.count { break }
            guard take(UInt8(ascii: ":")), new.count == 1 else { return nil }
            if take(UInt8(ascii: ":")) {
                guard gap == nil else { return nil }
                gap = groups.count
            } else if position == text.count {
                return nil
            }
        }
        return Self.joined(groups, gap: gap)
    }

    /// One group, or the two of a trailing dotted quad.
    private mutating func piece(room: Int) -> [UInt16]? {
        if text[position...].contains(UInt8(ascii: ".")), !text[position...].contains(UInt8(ascii: ":")) {
            guard room >= 2, let bits = version4() else { return nil }
            return [UInt16(bits >> 16), UInt16(bits & 0xffff)]
        }
        let start = position
        var value: UInt16 = 0
        while position < text.count, position - start < 4, let digit = Self.hexadecimal(text[position]) {
            value = value << 4 | digit
            position += 1
        }
        return position > start && room >= 1 ? [value] : nil
    }

    private static func joined(_ groups: [UInt16], gap: Int?) -> IPAddress? {
        var all = groups
        if let gap {
            guard groups.count < 8 else { return nil }
            all.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
        }
        guard all.count == 8 else { return nil }
        func half(_ groups: ArraySlice<UInt16>) -> UInt64 { groups.reduce(0) { $0 << 16 | UInt64($1) } }
        return IPAddress(v6High: half(all[..<4]), low: half(all[4...]))
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39: UInt16(byte - 0x30)
        case 0x41...0x46: UInt16(byte - 0x37)
        case 0x61...0x66: UInt16(byte - 0x57)
        default: nil
        }
    }
}
