public import HTTPMessage

/// A named upstream: its base URL, credentials and network settings. Read once from the stored settings of an operator.
public struct ConnectionSpec: Sendable, Hashable {
    /// An absolute http(s) URL, the base of relative URLs of requests (RFC 3986 §5).
    public var baseURL: String
    /// Credentials of calls that stay at the origin of `baseURL` and have no `auth`.
    public var auth: NetworkSpec.Auth = .none
    /// Fields that go with each call that stays at that origin; a field of the request itself counts more.
    public var headers: [NetworkSpec.Entry] = []
    /// TLS settings. The certificate is shown at that origin only.
    public var tls = NetworkSpec.TLS()
    /// The proxy; nil connects directly.
    public var proxy: NetworkSpec.Proxy?
    /// Ranges permitted for calls that stay at that origin, besides the public ones.
    public var egress: [CIDR] = []
    /// The name of the field that carries idempotency keys. Default `Idempotency-Key`.
    public var idempotencyHeader = "Idempotency-Key"

    /// A connection to `baseURL` with default settings.
    public init(baseURL: String) { self.baseURL = baseURL }

    /// Scheme, host and port of `baseURL`.
    var origin: String? { (try? URLParts(baseURL))?.origin }
}

extension NetworkSpec {
    /// TLS settings of a call.
    public struct TLS: Sendable, Hashable {
        /// The certificates (PEM) of the authorities that are trusted instead of the system's; nil trusts those.
        public var authorities: String?
        /// The certificate (PEM) that the caller shows, with its chain.
        public var clientCertificate: Binding?
        /// The private key (PEM); nil when the certificate's PEM contains it.
        public var clientKey: Binding?
        /// The oldest permitted version; nil leaves it to the server, whose default is 1.2.
        public var minimum: Version?

        /// Versions of TLS.
        public enum Version: String, Sendable, Hashable, CaseIterable {
            case v1_2 = "1.2"
            case v1_3 = "1.3"
        }

        /// TLS as the server speaks it.
        public init() {}
    }

    /// The proxy of a call.
    public struct Proxy: Sendable, Hashable {
        /// The URL, such as `http://proxy.example:3128`.
        public var url: String
        /// Hosts that are called without it: names with all below, `.suffix` for all below, ranges, or `*`.
        public var bypass: [String] = []
        /// The user name for the proxy.
        public var username: Binding?
        /// The password for the proxy.
        public var password: Binding?

        /// A proxy.
        public init(url: String) { self.url = url }
    }
}
