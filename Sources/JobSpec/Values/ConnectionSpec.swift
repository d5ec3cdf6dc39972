public import HTTPMessage

/// A named upstream: its base URL, credentials and route. Read once from what an operator stored.
public struct ConnectionSpec: Sendable, Hashable {
    /// An absolute http(s) URL that relative URLs of requests are resolved against (RFC 3986 §5).
    public var baseURL: String
    /// Credentials of calls that stay at the origin of `baseURL` and have none of their own.
    public var auth: NetworkSpec.Auth = .none
    /// Fields that go with each call that stays at that origin; a field of the request itself counts more.
    public var headers: [NetworkSpec.Entry] = []
    /// TLS settings. The certificate is shown at that origin only.
    public var tls = NetworkSpec.TLS()
    /// The proxy on the way; nil goes straight.
    public var proxy: NetworkSpec.Proxy?
    /// Ranges that calls which stay at that origin may reach besides those that everybody may.
    public var egress: [CIDR] = []
    /// The name of the field that carries idempotency keys. Default `Idempotency-Key`.
    public var idempotencyHeader = "Idempotency-Key"

    /// A connection to `baseURL` with nothing special about it.
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
        /// Its private key (PEM); nil when the certificate's PEM contains it.
        public var clientKey: Binding?
        /// The oldest version that is spoken; nil leaves it to the server, which takes 1.2.
        public var minimum: Version?

        /// Versions of TLS.
        public enum Version: String, Sendable, Hashable, CaseIterable {
            case v1_2 = "1.2"
            case v1_3 = "1.3"
        }

        /// TLS as the server speaks it.
        public init() {}
    }

    /// A proxy on the way of a call.
    public struct Proxy: Sendable, Hashable {
        /// Its URL: `http://proxy.example:3128`.
        public var url: String
        /// Hosts that are called without it: names with all below, `.suffix` for all below, ranges, or `*`.
        public var bypass: [String] = []
        /// The name that the proxy asks for.
        public var username: Binding?
        /// The password that the proxy asks for.
        public var password: Binding?

        /// A proxy.
        public init(url: String) { self.url = url }
    }
}
