/// What happened on the wire during one call. Times are milliseconds; nil when the phase was not reached.
public struct HTTPCallExchange: Sendable, Hashable {
    /// Name look-up.
    public var dnsMilliseconds: Double?
    /// TCP connection; 0 when a kept connection was used.
    public var connectMilliseconds: Double?
    /// TLS handshake.
    public var tlsMilliseconds: Double?
    /// From the start of the request until its last byte was handed to the network.
    public var sendMilliseconds: Double?
    /// From there until the first byte of the answer.
    public var waitMilliseconds: Double?
    /// From the first to the last byte of the answer.
    public var receiveMilliseconds: Double?
    /// The whole call.
    public var totalMilliseconds: Double?
    /// The address actually connected to, with port: `192.0.2.1:443`, `[2001:db8::1]:443`.
    public var peer: String?
    /// The protocol that was spoken: `HTTP/1.1`, `HTTP/2`.
    public var protocolName: String?
    /// The version of TLS that was spoken: `TLSv1.3`.
    public var tlsVersion: String?
    /// When the certificate that the upstream showed expires, in seconds since 1970.
    public var certificateExpiresAt: Int?
    /// Whether a proxy stood in between. `peer` is the proxy's address then.
    public var usedProxy = false
    /// Bytes of the request that left this machine, head included.
    public var bytesSent = 0
    /// Bytes of the answer that arrived, head included.
    public var bytesReceived = 0
    /// Whether a kept connection was used.
    public var reusedConnection = false
    /// How many redirects were followed.
    public var redirects = 0
    /// The URL that finally answered, when redirects were followed.
    public var effectiveURL: String?

    /// An exchange of which nothing is known yet.
    public init() {}
}
