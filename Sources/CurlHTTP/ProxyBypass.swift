import HTTPMessage

/// The hosts that a route calls without its proxy.
struct ProxyBypass {
    private enum Rule {
        case everything
        case range(CIDR)
        /// A name, optionally with its subdomains; the port if given.
        case name(String, includesItself: Bool, port: Int?)
    }

    private let rules: [Rule]

    /// Parses the list of `HTTPCallRoute.proxyBypass`. Malformed entries match nothing.
    init(_ entries: [String]) {
        rules = entries.compactMap(Self.rule)
    }

    /// Whether a call to this target goes directly.
    func covers(_ target: CallTarget) -> Bool {
        guard !rules.isEmpty else { return false }
        let address = IPAddress(target.host)
        return rules.contains { rule in
            switch rule {
            case .everything: true
            case .range(let range): address.map { range.contains($0.unmapped) } ?? false
            case .name(let name, let includesItself, let port):
                (port == nil || port == target.port)
                    && (includesItself && target.host == name || target.host.hasSuffix("." + name))
            }
        }
    }

    private static func rule(_ entry: String) -> Rule? {
        let entry = entry.lowercased()
        if entry == "*" { return .everything }
        if let range = CIDR(entry) { return .range(range) }
        let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, var name = parts.first else { return nil }
        let port = parts.count == 2 ? Int(parts[1]) : nil
        guard parts.count == 1 || port != nil else { return nil }
        if name.hasPrefix("*.") { name.removeFirst() }
        let isBelow = name.hasPrefix(".")
        if isBelow { name.removeFirst() }
        return name.isEmpty ? nil : .name(String(name), includesItself: !isBelow, port: port)
    }
}
