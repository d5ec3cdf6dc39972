import HTTPMessage

// DESIGN
// A proxy sets or extends only the fields that it knows and passes on all others as the client sent them. So only one
// family of fields is read, which the configuration names: with both, a client behind a proxy that sets one could forge
// the other.

/// The proxies whose forwarding fields are trusted. From any other peer these fields are forgeable and ignored.
struct TrustedProxies: Sendable, Hashable {
    /// The fields in which the proxies tell about the client.
    enum Family: String, Sendable, Hashable, CaseIterable {
        /// `X-Forwarded-For`, `-Host` and `-Proto`.
        case xForwarded = "x-forwarded"
        /// `Forwarded` (RFC 7239).
        case forwarded
    }

    private let ranges: [CIDR]
    private let family: Family
    /// The field with the name of the user, whom the proxies have authenticated; nil when they name none.
    private let userField: String?

    /// Creates the set of proxies with an address in one of `ranges`.
    init(_ ranges: [CIDR] = [], family: Family = .xForwarded, userField: String? = nil) {
        self.ranges = ranges
        self.family = family
        self.userField = userField
    }

    func contains(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// The client address of a request: the last address in the list of the proxies that is not a proxy's, since each
    /// proxy appends the address of its peer. Without such a field, and for other peers, the peer itself.
    func client(of fields: HTTPFields, from peer: IPAddress) -> IPAddress {
        guard contains(peer) else { return peer }
        var client = peer
        for part in list("for", in: fields).reversed() {
            guard let part, let address = Self.address(part) else { break }
            client = address
            if !contains(address) { break }
        }
        return client
    }

    /// The host that the client asked for, with its port, as the nearest proxy tells it; nil when it does not.
    func host(of fields: HTTPFields, from peer: IPAddress) -> String? {
        guard contains(peer), let host = list("host", in: fields).last else { return nil }
        return host
    }

    /// Whether the client uses TLS, as the nearest proxy tells.
    func isSecure(_ fields: HTTPFields, from peer: IPAddress) -> Bool {
        guard contains(peer), let scheme = list("proto", in: fields).last else { return false }
        return scheme?.lowercased() == "https"
    }

    /// The user that a proxy has authenticated; nil when none is named, or several are.
    func user(of fields: HTTPFields, from peer: IPAddress) -> String? {
        guard let userField, contains(peer) else { return nil }
        let values = fields.all(userField)
        guard values.count == 1, let name = values.first, !name.isEmpty, name.utf8.count <= 200 else {
            return nil
        }
        return name
    }

    /// The path prefix that a proxy has stripped, without a trailing slash; empty when there is none.
    func prefix(of fields: HTTPFields, from peer: IPAddress) -> String {
        guard contains(peer), let sent = fields["x-forwarded-prefix"] else { return "" }
        return PathPrefix(sent)?.text ?? ""
    }

    /// The values of a parameter of `Forwarded`, or the elements of the corresponding field; empty when it is missing
    /// or malformed.
    private func list(_ parameter: String, in fields: HTTPFields) -> [String?] {
        switch family {
        case .forwarded:
            guard let field = fields.combined("forwarded") else { return [] }
            return ForwardedField.values(of: parameter, in: field) ?? []
        case .xForwarded:
            guard let field = fields.combined("x-forwarded-\(parameter)") else { return [] }
            // Bytes: a character that a client sends at its end would swallow the comma of the proxy.
            return field.utf8.split(separator: UInt8(ascii: ",")).map { part in
                String(Substring(part.drop(while: Self.isBlank).prefix { !Self.isBlank($0) }))
            }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// An address in the forms that proxies write: bare, in brackets, with or without a port.
    private static func address(_ word: String) -> IPAddress? {
        if let address = IPAddress(word) { return address.unmapped }
        let bytes = word.utf8
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            return IPAddress(String(Substring(bytes[..<end].dropFirst())))?.unmapped
        }
        return IPAddress(String(Substring(bytes.prefix { $0 != UInt8(ascii: ":") })))
    }
}
