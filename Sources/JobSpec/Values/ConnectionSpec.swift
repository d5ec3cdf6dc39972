package import HTTPMessage

/// A named upstream: its base URL, credentials and network settings. Read once from the stored settings of an operator.
package struct ConnectionSpec: Sendable, Hashable {
    /// An absolute http(s) URL, the base of relative URLs of requests (RFC 3986 §5).
    package var baseURL: String
    /// Credentials of calls that stay at the origin of `baseURL` and have no `auth`.
    package var auth: NetworkSpec.Auth = .none
    /// Fields that go with each call that stays at that origin; a field of the request itself counts more.
    package var headers: [NetworkSpec.Entry] = []
    /// TLS settings. The certificate is shown at that origin only.
    package var tls = NetworkSpec.TLS()
    /// The proxy; nil connects directly.
    package var proxy: NetworkSpec.Proxy?
    /// Ranges permitted for calls that stay at that origin, besides the public ones.
    package var egress: [CIDR] = []
    /// The name of the field that carries idempotency keys. Default `Idempotency-Key`.
    package var idempotencyHeader = "Idempotency-Key"

    /// A connection to `baseURL` with default settings.
    package init(baseURL: String) { self.baseURL = baseURL }

    /// Scheme, host and port of `baseURL`.
    var origin: String? { (try? URLParts(baseURL))?.origin }

    /// Whether a call of `request` to this URL gets the credentials, fields, certificate and ranges of the connection:
    /// at its origin only, and not through a proxy that the request chose, which could read or redirect them.
    func covers(_ url: String, of request: NetworkSpec) -> Bool {
        request.proxy == nil && origin != nil && (try? URLParts(url))?.origin == origin
    }
}

extension NetworkSpec {
    /// The authentication of a call to this URL: its own, or that of a connection which covers the call.
    func auth(by connection: ConnectionSpec?, for url: String) -> Auth {
        if hasOwnAuth { return auth }
        return connection.flatMap { $0.covers(url, of: self) ? $0.auth : nil } ?? .none
    }

    /// TLS settings of a call.
    package struct TLS: Sendable, Hashable {
        /// The certificates (PEM) of the authorities that are trusted instead of the system's; nil trusts those.
        package var authorities: String?
        /// The certificate (PEM) that the caller shows, with its chain.
        package var clientCertificate: Binding?
        /// The private key (PEM); nil when the certificate's PEM contains it.
        package var clientKey: Binding?
        /// The oldest permitted version; nil leaves it to the server, whose default is 1.2.
        package var minimum: Version?

        package enum Version: String, Sendable, Hashable, CaseIterable {
            case v1_2 = "1.2"
            case v1_3 = "1.3"
        }

        /// TLS as the server speaks it.
        package init() {}
    }

    /// The proxy of a call.
    package struct Proxy: Sendable, Hashable {
        /// The URL, such as `http://proxy.example:3128`.
        package var url: String
        /// Hosts that are called without it: names with all below, `.suffix` for all below, ranges, or `*`.
        package var bypass: [String] = []
        /// The user name for the proxy.
        package var username: Binding?
        /// The password for the proxy.
        package var password: Binding?

        package init(url: String) { self.url = url }
    }
}
