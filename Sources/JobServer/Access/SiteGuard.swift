import HTTPMessage

// DESIGN
// A web page can make its reader's browser send requests to this machine, in two ways. A host name of the page's domain
// can be pointed at 127.0.0.1 (DNS rebinding), which would let the page read answers, too: without tokens the server
// therefore answers only for host names that a stranger cannot own. And a simple cross-site request needs no preflight
// (`no-cors`): browsers say where it comes from, and the server refuses such a request when it changes something, with
// tokens as without. Clients other than browsers send neither field and are not affected.

/// Keeps web pages of other sites from reaching the server through a visitor's browser.
struct SiteGuard: Sendable {
    enum Verdict: Sendable, Hashable {
        case fine
        /// The request names a host that a stranger may own.
        case otherHost(String)
        /// A page of another site sent the request; the value is its origin or its Fetch Metadata site.
        case otherSite(String)
        /// A page of this server sent it to change something, which it may not.
        case readOnlyPage
    }

    private let checksHost: Bool
    /// Further host names of this server, in lower case.
    private let names: [String]
    /// Whether pages of this server may only look.
    private let isPageReadOnly: Bool

    /// - Parameters:
    ///   - checksHost: whether requests for hosts that others may own are refused.
    ///   - names: the host names of this server besides `localhost` and addresses.
    ///   - isPageReadOnly: whether pages of this server may only look.
    init(checksHost: Bool, names: [String], isPageReadOnly: Bool = false) {
        self.checksHost = checksHost
        self.names = names.map(\.asciiLowercased)
        self.isPageReadOnly = isPageReadOnly
    }

    /// - Parameters:
    ///   - path: the path without the prefix of a proxy.
    ///   - asked: the host that the client asked a trusted proxy for.
    func verdict(on head: HTTPRequestHead, path: ArraySlice<UInt8>, asked: String? = nil) -> Verdict {
        // The URL is itself the permission, whichever page or host it was reached by.
        if CallbackPath.has(path) { return .fine }
        // RFC 9112 §3.2.2: the absolute form overrides Host.
        let host = head.target.authority.map { Array($0.utf8)[...] } ?? head.fields.first("host")
        if checksHost, let host, !isOwn(host) {
            return .otherHost(Self.text(Self.name(in: host)))
        }
        switch head.method {
        case .get, .head, .options: return .fine
        default: break
        }
        let verdict = site(of: head.fields, host: asked.map { Array($0.utf8)[...] } ?? host)
        if verdict == .fine, isPageReadOnly, isFromBrowser(head.fields),
            !path.elementsEqual(Self.sessionPath)
        {
            return .readOnlyPage
        }
        return verdict
    }

    /// Signing in and out changes nothing but who asks.
    private static let sessionPath = Array("/session".utf8)

    private func isFromBrowser(_ fields: HTTPFields) -> Bool {
        fields.contains("sec-fetch-site") || fields.contains("origin")
    }

    /// Compares sites by Fetch Metadata (W3C) and, for browsers that do not send it, by Origin and Host (RFC 6454 §7).
    private func site(of fields: HTTPFields, host: ArraySlice<UInt8>?) -> Verdict {
        if let site = fields.first("sec-fetch-site") {
            if site.elementsEqual("same-origin".utf8) || site.elementsEqual("none".utf8) { return .fine }
            return .otherSite(Self.text(fields.first("origin") ?? site))
        }
        guard let origin = fields.first("origin") else { return .fine }
        if let authority = Self.authority(of: origin) {
            if let host, Self.areSame(authority, host) { return .fine }
            if isOurName(Self.lowercased(Self.name(in: authority))), Self.hasOurPort(origin, authority, host)
            {
                return .fine
            }
        }
        return .otherSite(Self.text(origin))
    }

    private static let localhost = Array("localhost".utf8)[...]
    private static let belowLocalhost = Array(".localhost".utf8)
    private static let loopback = Array("127.0.0.1".utf8)[...]

    /// Whether the host can only mean this machine: an address, `localhost`, or a configured name.
    private func isOwn(_ host: ArraySlice<UInt8>) -> Bool {
        if host.first == UInt8(ascii: "[") { return true }
        let name = Self.name(in: host)
        if name == Self.localhost || name == Self.loopback { return true }
        var text = Self.lowercased(name)
        if text.utf8.last == UInt8(ascii: ".") { text = String(Substring(text.utf8.dropLast())) }
        // RFC 6761 §6.3: names below localhost resolve to this machine.
        let isLocal =
            text.utf8.elementsEqual(Self.localhost)
            || text.utf8.suffix(Self.belowLocalhost.count).elementsEqual(Self.belowLocalhost)
        return isLocal || isOurName(text) || IPAddress(text) != nil
    }

    /// - Parameter text: in lower case.
    private func isOurName(_ text: String) -> Bool {
        names.contains { $0.utf8.elementsEqual(text.utf8) }
    }

    /// The part of `host:port` before the port.
    private static func name(in host: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if host.first == UInt8(ascii: "["), let end = host.firstIndex(of: UInt8(ascii: "]")) {
            return host[...end]
        }
        return host[..<(host.firstIndex(of: UInt8(ascii: ":")) ?? host.endIndex)]
    }

    /// `host:port` of an origin, `scheme://host:port`; nil for `null`.
    private static func authority(of origin: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let colon = origin.firstIndex(of: UInt8(ascii: ":")),
            origin[colon...].starts(with: "://".utf8)
        else { return nil }
        return origin[(colon + 3)...]
    }

    /// Whether an origin with a name of this server has the port of its scheme, as behind a proxy that sends a Host of
    /// its own, or that of the request. At other ports of the machine there are other services.
    private static func hasOurPort(
        _ origin: ArraySlice<UInt8>, _ authority: ArraySlice<UInt8>, _ host: ArraySlice<UInt8>?
    ) -> Bool {
        let port = port(in: authority)
        let usual = origin.starts(with: "https:".utf8) ? "443" : "80"
        if port.isEmpty || port.elementsEqual(usual.utf8) { return true }
        return host.map { Self.port(in: $0) } == port
    }

    /// The part of `host:port` after the colon; empty when there is none.
    private static func port(in host: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        host[name(in: host).endIndex...].dropFirst()
    }

    private static func areSame(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        lowercased(left).utf8.elementsEqual(lowercased(right).utf8)
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).asciiLowercased
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(200), as: UTF8.self)
    }
}
