internal import HTTPMessage
internal import StrictJSON

/// Reads TLS and proxies, which connections and requests have in common.
struct RouteReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// `{"ca", "client_cert", "client_key", "min"}`
    func tls(_ value: JSONValue, _ reading: inout SpecReading) -> NetworkSpec.TLS {
        var tls = NetworkSpec.TLS()
        let known = ["ca", "client_cert", "client_key", "min"]
        reading.members(of: value, "tls", known: known) { reading, name, value in
            switch name {
            case "ca": tls.authorities = authorities(value, &reading)
            case "client_cert": tls.clientCertificate = BindingReader(scope).confidential(value, &reading)
            case "client_key": tls.clientKey = BindingReader(scope).confidential(value, &reading)
            case "min": tls.minimum = reading.word(value)
            default: return false
            }
            return true
        }
        if tls.clientKey != nil && tls.clientCertificate == nil {
            reading.note(
                member: "client_key", .missingMember,
                "A key is of no use without its certificate, \"client_cert\".")
        }
        return tls
    }

    private func authorities(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let text = reading.string(value, bytes: 1...(512 << 10)) else { return nil }
        if !text.contains("-----BEGIN CERTIFICATE-----") {
            reading.note(
                .wrongType, "These are no certificates in PEM: there is no -----BEGIN CERTIFICATE----- in it."
            )
        }
        return text
    }

    /// `{"url", "bypass", "username", "password"}`, or the URL.
    func proxy(_ value: JSONValue, _ reading: inout SpecReading) -> NetworkSpec.Proxy? {
        if case .string = value { return proxyURL(value, &reading).map { NetworkSpec.Proxy(url: $0) } }
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "a URL or an object", suggestion: #"{"url": "http://proxy.example:3128"}"#)
            return nil
        }
        var proxy = NetworkSpec.Proxy(url: "")
        let known = ["url", "bypass", "username", "password"]
        reading.members(of: object, "proxy", known: known) { reading, name, value in
            switch name {
            case "url": proxy.url = proxyURL(value, &reading) ?? ""
            case "bypass": proxy.bypass = bypass(value, &reading)
            case "username": proxy.username = BindingReader(scope).textBinding(value, &reading)
            case "password": proxy.password = BindingReader(scope).confidential(value, &reading)
            default: return false
            }
            return true
        }
        guard object["url"] != nil else {
            reading.missing(
                "url", "Say where the proxy is.", suggestion: #""url": "http://proxy.example:3128""#)
            return nil
        }
        return proxy
    }

    private func proxyURL(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let url = URLReader(scope).literalURL(value, &reading) else { return nil }
        if let parts = try? URLParts(url), parts.path != "/" || parts.query != nil {
            reading.note(.badURL, "A proxy is a host and a port, without a path.", suggestion: parts.origin)
        }
        return url
    }

    private func bypass(_ value: JSONValue, _ reading: inout SpecReading) -> [String] {
        var hosts: [String] = []
        reading.elements(of: value) { reading, value in
            guard let text = reading.string(value, bytes: 1...255) else { return }
            if !text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }) {
                reading.note(.outOfRange, "A host to be called without the proxy has no spaces and commas.")
            }
            hosts.append(text)
        }
        return hosts
    }
}
