/// The route of a call to the upstream: proxy, trust anchors, client certificate and protocol versions. A connection
/// made for one route never carries a call with another.
public struct HTTPCallRoute: Sendable, Hashable {
    /// The minimum version of TLS.
    public enum TLSMinimum: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2 or later.
        case v1_2 = "1.2"
        /// TLS 1.3 or later.
        case v1_3 = "1.3"
    }

    /// The version of HTTP.
    public enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2 where a TLS server offers it, else HTTP/1.1.
        case auto
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 only: over TLS as negotiated, otherwise at once. A server without it fails the call.
        case http2
    }

    /// The URL of an HTTP proxy, `http://proxy.example:3128` or `https://…`; nil calls directly. An `https` call
    /// goes through it in a tunnel (`CONNECT`). The URL may carry `user:password@`, percent-encoded.
    public var proxy: String?
    /// The user name for the proxy (Basic), instead of one in its URL.
    public var proxyUser: String?
    /// The password for the proxy.
    public var proxyPassword: String?
    /// Hosts that are called without the proxy: `example.com` (including subdomains), `.corp` (subdomains only),
    /// `10.0.0.0/8` (for addresses in URLs), `host:port`, `*` (all).
    public var proxyBypass: [String] = []
    /// Certificate authorities (PEM) that are trusted instead of the system's.
    public var authoritiesPEM: [UInt8]?
    /// The client certificate with its chain (PEM).
    public var clientCertificatePEM: [UInt8]?
    /// The private key of that certificate (PEM, not encrypted).
    public var clientKeyPEM: [UInt8]?
    /// The minimum version of TLS. Default 1.2.
    public var tlsMinimum = TLSMinimum.v1_2
    /// The version of HTTP. Default `auto`.
    public var httpVersion = HTTPVersion.auto
    /// Whether compressed responses are requested and decoded. Default true. When false, content stays encoded.
    public var compression = true
    /// Address ranges that this call may reach in addition to those that the server allows.
    public var egressAllow: [CIDR] = []
    /// Addresses of a name, by `host:port` (the host in lower case), that replace its resolution. The egress policy
    /// applies to them as to any other address.
    public var pins: [String: [IPAddress]] = [:]

    /// Creates the default route: direct.
    public init() {}

    /// Equal when all parts are, texts byte by byte: a password composed and decomposed is two passwords.
    public static func == (left: HTTPCallRoute, right: HTTPCallRoute) -> Bool {
        left.texts.elementsEqual(right.texts) { one, other in
            one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
        }
            && left.authoritiesPEM == right.authoritiesPEM
            && left.clientCertificatePEM == right.clientCertificatePEM
            && left.clientKeyPEM == right.clientKeyPEM && left.tlsMinimum == right.tlsMinimum
            && left.httpVersion == right.httpVersion && left.compression == right.compression
            && left.egressAllow == right.egressAllow && left.pins == right.pins
    }

    private var texts: [String?] { [proxy, proxyUser, proxyPassword] + proxyBypass }

    /// Hashes the parts that distinguish most routes, and only the end of long texts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(proxy)
        hasher.combine(proxyUser)
        hasher.combine(authoritiesPEM?.count)
        hasher.combine(clientCertificatePEM?.suffix(64))
        hasher.combine(httpVersion)
        hasher.combine(compression)
    }
}

/// The permitted targets of a call's redirects.
public enum HTTPRedirectScope: Sendable, Hashable, CaseIterable {
    /// Anywhere; credentials are dropped for another scheme, host or port.
    case anywhere
    /// Anywhere, with credentials.
    case anywhereWithCredentials
    /// The same host only, on any scheme and port. Any other ends the call with `http.redirect`.
    case sameHost
}
