/// A range of addresses that share their first bits: `10.0.0.0/8`, `fd00::/8` (RFC 4632, RFC 4291 §2.3).
public struct CIDR: Sendable, Hashable, CustomStringConvertible {
    /// The first address of the range.
    public let base: IPAddress
    /// The length of the prefix in bits: 0…32 for IPv4, 0…128 for IPv6.
    public let prefixLength: Int

    /// The range of `prefixLength` bits that starts at `base`; nil when the length does not fit or `base` has bits set
    /// beyond the prefix.
    public init?(base: IPAddress, prefixLength: Int) {
        guard (0...(base.isIPv4 ? 32 : 128)).contains(prefixLength) else { return nil }
        let (high, low) = Self.masks(isIPv4: base.isIPv4, prefixLength)
        guard base.high & ~high == 0, base.low & ~low == 0 else { return nil }
        self.base = base
        self.prefixLength = prefixLength
    }

    /// The range written in `text`, or nil. A bare address is the range of that one address.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(base: base, prefixLength: base.isIPv4 ? 32 : 128)
            return
        }
        let digits = parts[1].utf8
        guard (1...3).contains(digits.count), digits.allSatisfy(\.isDigitByte),
            digits.count == 1 || digits.first != 0x30
        else { return nil }
        self.init(base: base, prefixLength: digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }

    /// Whether `address` lies in the range. An IPv4 address never lies in an IPv6 range, nor the other way.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv4 == base.isIPv4 else { return false }
        let (high, low) = Self.masks(isIPv4: base.isIPv4, prefixLength)
        return address.high & high == base.high && address.low & low == base.low
    }

    /// The canonical text, with the length always written.
    public var description: String { "\(base)/\(prefixLength)" }

    private static func masks(isIPv4: Bool, _ length: Int) -> (high: UInt64, low: UInt64) {
        func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }
        if isIPv4 { return (.max, ~0xFFFF_FFFF | mask(length + 32)) }
        return (mask(length), mask(length - 64))
    }
}
