/// The timings and facts of one HTTP exchange. Times are milliseconds; nil when the phase was not reached.
public struct HTTPCallExchange: Sendable, Hashable {
    /// Waiting in line for a connection; nil when the call did not have to.
    public var lineMilliseconds: Double?
    /// Name look-up.
    public var dnsMilliseconds: Double?
    /// TCP connection; 0 for a reused connection.
    public var connectMilliseconds: Double?
    /// TLS handshake.
    public var tlsMilliseconds: Double?
    /// From the start of the request until its last byte was passed to the network.
    public var sendMilliseconds: Double?
    /// From there until the first byte of the answer.
    public var waitMilliseconds: Double?
    /// From the first to the last byte of the answer.
    public var receiveMilliseconds: Double?
    /// The whole call.
    public var totalMilliseconds: Double?
    /// The address of the connection, with port: `192.0.2.1:443`, `[2001:db8::1]:443`.
    public var peer: String?
    /// The negotiated protocol: `HTTP/1.1`, `HTTP/2`.
    public var protocolName: String?
    /// The negotiated version of TLS: `TLSv1.3`.
    public var tlsVersion: String?
    /// The expiry of the upstream's certificate, in seconds since 1970.
    public var certificateExpiresAt: Int?
    /// Whether a proxy was used. `peer` is the proxy's address then.
    public var usedProxy = false
    /// Bytes of the request that left this machine, including its head.
    public var bytesSent = 0
    /// Bytes of the response that arrived, including its head.
    public var bytesReceived = 0
    /// Whether the connection was reused.
    public var reusedConnection = false
    /// The number of redirects followed.
    public var redirects = 0
    /// The URL that finally answered, if redirects were followed.
    public var effectiveURL: String?

    /// Creates an exchange without any facts.
    public init() {}
}
