/// The ranges of the IANA special-purpose address registries, and a few cloud metadata addresses.
enum SpecialRange {
    /// The reason why an address is not a public one; nil when it is.
    static func reason(for address: IPAddress) -> EgressPolicy.Reason? {
        if address.isIPv4 { return reason(forIPv4: UInt32(truncatingIfNeeded: address.low)) }
        return reason(forIPv6: address)
    }

    /// Whether the address belongs to the obsolete tunnels 6to4 (RFC 7526) or Teredo, which no public service needs.
    static func isObsoleteTunnel(_ address: IPAddress) -> Bool {
        !address.isIPv4 && (address.high >> 48 == 0x2002 || address.high >> 32 == 0x2001_0000)
    }

    private static func reason(forIPv4 bits: UInt32) -> EgressPolicy.Reason? {
        for range in version4 where bits & (.max << (32 - range.length)) == range.base { return range.reason }
        return nil
    }

    /// The first match counts, so single addresses precede their networks. The length is at least 1.
    private static let version4: [(base: UInt32, length: UInt32, reason: EgressPolicy.Reason)] = [
        (0x0000_0000, 8, .unspecified),
        (0x0A00_0000, 8, .privateNetwork),
        (0x6464_64C8, 32, .metadata),  // 100.100.100.200
        (0x6440_0000, 10, .carrierGradeNAT),
        (0x7F00_0000, 8, .loopback),
        (0xA9FE_A9FE, 32, .metadata),  // 169.254.169.254
        (0xA9FE_0000, 16, .linkLocal),
        (0xA83F_8110, 32, .metadata),  // 168.63.129.16
        (0xAC10_0000, 12, .privateNetwork),
        (0xC000_00C0, 32, .metadata),  // 192.0.0.192
        (0xC000_0000, 24, .reserved),
        (0xC000_0200, 24, .documentation),
        (0xC058_6300, 24, .reserved),
        (0xC0A8_0000, 16, .privateNetwork),
        (0xC612_0000, 15, .benchmarking),
        (0xC633_6400, 24, .documentation),
        (0xCB00_7100, 24, .documentation),
        (0xE000_0000, 4, .multicast),
        (0xF000_0000, 4, .reserved),
    ]

    private static func reason(forIPv6 address: IPAddress) -> EgressPolicy.Reason? {
        let high = address.high
        if high == 0 {
            switch address.low {
            case 0: return .unspecified
            case 1: return .loopback
            default: return .reserved
            }
        }
        if high == 0xFD00_0EC2_0000_0000, address.low == 0x254 { return .metadata }
        for range in version6 where high & (.max << (64 - range.length)) == range.base { return range.reason }
        // Global unicast is 2000::/3; everything else is unassigned.
        return high >> 61 == 1 ? nil : .reserved
    }

    /// By the first 64 bits; the length is 1…64.
    private static let version6: [(base: UInt64, length: UInt64, reason: EgressPolicy.Reason)] = [
        (0x2001_0002_0000_0000, 48, .benchmarking),
        (0x2001_0000_0000_0000, 23, .reserved),
        (0x2001_0DB8_0000_0000, 32, .documentation),
        (0x3FFF_0000_0000_0000, 20, .documentation),
        (0xFC00_0000_0000_0000, 7, .privateNetwork),
        (0xFE80_0000_0000_0000, 10, .linkLocal),
        (0xFEC0_0000_0000_0000, 10, .privateNetwork),
        (0xFF00_0000_0000_0000, 8, .multicast),
    ]
}

extension IPAddress {
    /// The IPv4 address embedded in an IPv6 address: mapped, compatible, NAT64 (RFC 6052), 6to4 or Teredo; nil for all
    /// others, including `::` and `::1`.
    var embeddedIPv4: IPAddress? {
        guard !isIPv4 else { return nil }
        if high == 0, low >> 32 == 0xFFFF { return unmapped }
        if high == 0, low >> 32 == 0, low > 0xFFFF { return IPAddress(v4: UInt32(truncatingIfNeeded: low)) }
        if high == 0, low >> 32 == 0xFFFF_0000 { return IPAddress(v4: UInt32(truncatingIfNeeded: low)) }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 {
            return IPAddress(v4: UInt32(truncatingIfNeeded: low))
        }
        if high >> 48 == 0x2002 { return IPAddress(v4: UInt32(truncatingIfNeeded: high >> 16)) }
        if high >> 32 == 0x2001_0000 { return IPAddress(v4: ~UInt32(truncatingIfNeeded: low)) }
        return nil
    }
}
