internal import HTTPMessage
internal import StrictJSON

/// Connections, and what they have in common with requests: TLS and proxies.
extension SpecReading {
    private static let connectionMembers = [
        "base_url", "auth", "headers", "tls", "proxy", "egress", "idempotency_header",
    ]

    /// The name of a connection, as operations and `defaults` say it.
    mutating func connectionName(_ value: JSONValue) -> String? { name(value) }

    /// A whole connection; nil when nothing can be made of it.
    mutating func connection(_ value: JSONValue, openable: [CIDR]) -> ConnectionSpec? {
        guard case .object(let object) = value else {
            wrongType(value, "an object", suggestion: #"{"base_url": "https://api.example.com/"}"#)
            return nil
        }
        isInRequest = true
        takesSecretsOnly = true
        var spec = ConnectionSpec(baseURL: "")
        if let value = object["egress"] {
            spec.egress = inside("egress") { $0.openedRanges(value, openable) }
            if let policy = egress { egress = policy.opening(spec.egress) }
        }
        members(of: object, "A connection", known: Self.connectionMembers) { reading, name, value in
            reading.connectionMember(name, value, of: &spec)
        }
        guard object["base_url"] != nil else {
            missing(
                "base_url", "Say where the calls go.", suggestion: #""base_url": "https://api.example.com/""#)
            return nil
        }
        return spec
    }

    private mutating func connectionMember(
        _ name: String, _ value: JSONValue, of spec: inout ConnectionSpec
    ) -> Bool {
        switch name {
        case "base_url": spec.baseURL = baseURL(value) ?? ""
        case "auth": spec.auth = AuthKinds.read(value, &self)
        case "headers":
            spec.headers = headers(value)
            for entry in spec.headers where CredentialName.isOne(entry.name) {
                if case .literal(let literal) = entry.value {
                    inside(entry.name) { _ = $0.confidential(literal) }
                }
            }
        case "tls": spec.tls = tls(value)
        case "proxy": spec.proxy = proxy(value)
        case "egress": break
        case "idempotency_header":
            guard let text = string(value) else { break }
            checkFieldName(text)
            spec.idempotencyHeader = text
        default: return false
        }
        return true
    }

    private mutating func baseURL(_ value: JSONValue) -> String? {
        guard let url = literalURL(value) else { return nil }
        if url.utf8.contains(UInt8(ascii: "?")) {
            note(.badURL, "A base URL has no query: it would be lost. Give parameters in each request.")
        }
        return url
    }

    private mutating func openedRanges(_ value: JSONValue, _ openable: [CIDR]) -> [CIDR] {
        var ranges: [CIDR] = []
        elements(of: value) { reading, value in
            guard let text = reading.string(value, "a range such as \"10.1.0.0/16\"") else { return }
            guard let range = CIDR(text) else {
                return reading.note(
                    .outOfRange, "\"\(Self.quotable(text))\" is no range such as 10.1.0.0/16 or fd00::/8.")
            }
            if openable.contains(where: { $0.contains(range) }) { return ranges.append(range) }
            guard reading.egress != nil else { return }
            reading.note(
                .egressBlocked,
                "Connections may not open \(range). "
                    + "If they should, start the server with --egress-connections \(range).")
        }
        return ranges
    }

    // MARK: TLS and proxies

    /// `{"ca", "client_cert", "client_key", "min"}`
    mutating func tls(_ value: JSONValue) -> NetworkSpec.TLS {
        var tls = NetworkSpec.TLS()
        let known = ["ca", "client_cert", "client_key", "min"]
        members(of: value, "tls", known: known) { reading, name, value in
            switch name {
            case "ca": tls.authorities = reading.authorities(value)
            case "client_cert": tls.clientCertificate = reading.confidential(value)
            case "client_key": tls.clientKey = reading.confidential(value)
            case "min": tls.minimum = reading.word(value)
            default: return false
            }
            return true
        }
        if tls.clientKey != nil && tls.clientCertificate == nil {
            note(
                member: "client_key", .missingMember,
                "A key is of no use without its certificate, \"client_cert\".")
        }
        return tls
    }

    private mutating func authorities(_ value: JSONValue) -> String? {
        guard let text = string(value, bytes: 1...(512 << 10)) else { return nil }
        if !text.contains("-----BEGIN CERTIFICATE-----") {
            note(
                .wrongType, "These are no certificates in PEM: there is no -----BEGIN CERTIFICATE----- in it."
            )
        }
        return text
    }

    /// `{"url", "bypass", "username", "password"}`, or the URL.
    mutating func proxy(_ value: JSONValue) -> NetworkSpec.Proxy? {
        if case .string = value { return proxyURL(value).map { NetworkSpec.Proxy(url: $0) } }
        guard case .object(let object) = value else {
            wrongType(value, "a URL or an object", suggestion: #"{"url": "http://proxy.example:3128"}"#)
            return nil
        }
        var proxy = NetworkSpec.Proxy(url: "")
        let known = ["url", "bypass", "username", "password"]
        members(of: object, "proxy", known: known) { reading, name, value in
            switch name {
            case "url": proxy.url = reading.proxyURL(value) ?? ""
            case "bypass": proxy.bypass = reading.bypass(value)
            case "username": proxy.username = reading.textBinding(value)
            case "password": proxy.password = reading.confidential(value)
            default: return false
            }
            return true
        }
        guard object["url"] != nil else {
            missing("url", "Say where the proxy is.", suggestion: #""url": "http://proxy.example:3128""#)
            return nil
        }
        return proxy
    }

    private mutating func proxyURL(_ value: JSONValue) -> String? {
        guard let url = literalURL(value) else { return nil }
        if let parts = try? URLParts(url), parts.path != "/" || parts.query != nil {
            note(.badURL, "A proxy is a host and a port, without a path.", suggestion: parts.origin)
        }
        return url
    }

    private mutating func bypass(_ value: JSONValue) -> [String] {
        var hosts: [String] = []
        elements(of: value) { reading, value in
            guard let text = reading.string(value, bytes: 1...255) else { return }
            if !text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }) {
                reading.note(.outOfRange, "A host to be called without the proxy has no spaces and commas.")
            }
            hosts.append(text)
        }
        return hosts
    }

    /// A value that nobody is to see. In a connection, which can be read, it must come from a secret.
    mutating func confidential(_ value: JSONValue) -> Binding {
        let binding = textBinding(value)
        if takesSecretsOnly, case .literal = binding {
            note(
                .literalSecret,
                "Whoever may read the connection would see this value. "
                    + "Store it with PUT /v1/secrets/{name} and name it here.",
                suggestion: #"{"$secret": "name"}"#)
        }
        return binding
    }
}

extension CIDR {
    /// Whether all of another range lies in this one.
    fileprivate func contains(_ other: CIDR) -> Bool {
        other.prefixLength >= prefixLength && contains(other.base)
    }
}

extension EgressPolicy {
    /// The policy with more ranges open.
    fileprivate func opening(_ ranges: [CIDR]) -> EgressPolicy { EgressPolicy(allow: allow + ranges) }
}
