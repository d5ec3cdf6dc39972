/// Decides which addresses jobs may reach, so that the server cannot be used to reach behind its firewall.
///
/// Everything in the special-purpose registries (RFC 6890) is blocked unless a range in `allow` opens it. An IPv6
/// address that embeds an IPv4 address is treated as that one.
public struct EgressPolicy: Sendable, Hashable {
    /// The decision about an address or a host.
    public enum Verdict: Sendable, Hashable {
        /// The target may be reached. For a name: the decision is repeated for the address it resolves to.
        case allowed
        /// The target must not be reached.
        case blocked(reason: Reason)

        /// Whether this is `.allowed`.
        public var isAllowed: Bool { self == .allowed }
    }

    /// The reason for blocking an address.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Addresses of this machine.
        case loopback
        /// The address that means any address.
        case unspecified
        /// Addresses of groups.
        case multicast
        /// Addresses without a use.
        case reserved
        /// Addresses for examples in documents.
        case documentation
        /// Addresses for benchmarks of networks.
        case benchmarking
        /// The metadata services of clouds.
        case metadata
        /// Private and unique-local networks.
        case privateNetwork = "private"
        /// Addresses of one link only.
        case linkLocal = "link_local"
        /// The shared space of carriers (RFC 6598).
        case carrierGradeNAT = "cgnat"
        /// An IPv6 form of an IPv4 address through an obsolete tunnel.
        case tunnel
        /// A host that a library might take for an address, such as one with escapes.
        case ambiguous

        /// The phrase after "is": `a loopback address`.
        public var text: String {
            switch self {
            case .loopback: "a loopback address"
            case .unspecified: "an unspecified address"
            case .multicast: "a multicast address"
            case .reserved: "a reserved address"
            case .documentation: "an address for documentation only"
            case .benchmarking: "an address for benchmarks only"
            case .metadata: "a cloud metadata address"
            case .privateNetwork: "an address of a private network"
            case .linkLocal: "a link-local address"
            case .carrierGradeNAT: "an address of a carrier's shared space"
            case .tunnel: "an address of an obsolete tunnel"
            case .ambiguous: "neither a plain host name nor a plain address"
            }
        }
    }

    /// The opened ranges, whatever addresses they contain.
    public let allow: [CIDR]

    /// Creates a policy that allows these ranges and public addresses.
    public init(allow: [CIDR] = []) {
        self.allow = allow
    }

    /// Decides about an address before a connection to it.
    public func verdict(for address: IPAddress) -> Verdict {
        if allows(address) { return .allowed }
        if let embedded = address.embeddedIPv4 {
            if allows(embedded) { return .allowed }
            if let reason = SpecialRange.reason(for: embedded) { return .blocked(reason: reason) }
            return SpecialRange.isObsoleteTunnel(address) ? .blocked(reason: .tunnel) : .allowed
        }
        guard let reason = SpecialRange.reason(for: address) else { return .allowed }
        return .blocked(reason: reason)
    }

    /// Decides about the host of a URL before its resolution: an address in any spelling that some library accepts, or
    /// `localhost`. Other names are `.allowed` here.
    ///
    /// - Parameter host: as in the URL, with or without brackets around IPv6.
    public func literalVerdict(forHost host: String) -> Verdict {
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x25 && $0 != 0x5C })
        else {
            return .blocked(reason: .ambiguous)
        }
        var name = host.asciiLowercased
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        while name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") { return localhostVerdict }
        if let address = IPAddress(name) ?? IPAddress(legacyIPv4: name) { return verdict(for: address) }
        if name.isEmpty || name.utf8.contains(0x3A) || Self.endsInNumber(name) {
            return .blocked(reason: .ambiguous)
        }
        return .allowed
    }

    private var localhostVerdict: Verdict {
        allows(IPAddress(v4: 0x7F00_0001)) || allows(IPAddress(v6High: 0, low: 1))
            ? .allowed : .blocked(reason: .loopback)
    }

    private func allows(_ address: IPAddress) -> Bool {
        allow.contains { $0.contains(address) }
    }

    /// Whether the last label is a number, which no top-level domain is.
    private static func endsInNumber(_ name: String) -> Bool {
        guard let label = name.split(separator: ".").last?.utf8 else { return false }
        return label.allSatisfy(\.isDigitByte)
            || (label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { $0.hexDigitValue != nil })
    }
}
