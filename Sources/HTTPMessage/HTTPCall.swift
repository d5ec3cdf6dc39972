/// One outgoing HTTP request, complete: what to send, where, and which clocks apply.
public struct HTTPCall: Sendable {
    /// The request method, a token (RFC 9110 §9.1), such as `GET`.
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    /// The request fields, in order. `Host`, `Content-Length`, `Transfer-Encoding`, `Connection` and the others that
    /// frame a message are set by the client; a call that brings one is refused with `http.field`.
    public var fields: [(name: String, value: String)]
    /// The request content; nil sends none.
    public var body: [UInt8]?
    /// From the start until the connection stands (name look-up, TCP and TLS). Default 10 s.
    public var connectTimeout: Duration = .seconds(10)
    /// From the last byte sent until the first byte received. Default 30 s.
    public var firstByteTimeout: Duration = .seconds(30)
    /// The whole call. Default 60 s.
    public var attemptTimeout: Duration = .seconds(60)
    /// How many redirects are followed, 0…20; 0 returns the 3xx answer itself. Authorisation, cookies and fields
    /// whose names speak of keys, tokens or secrets are sent on only to the same scheme, host and port.
    public var redirectsMax = 0
    /// The largest answer content kept, counted after unpacking. A larger one fails with `body.too_large`.
    public var answerBytesMax = 8 << 20

    /// A call with the default clocks.
    public init(
        method: String, url: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// The answer to an `HTTPCall`: any status counts as an answer.
public struct HTTPCallAnswer: Sendable {
    /// The final status, 200…599.
    public var status: Int
    /// The answer's fields, in order, names as received.
    public var fields: [(name: String, value: String)]
    /// The answer's content, unpacked.
    public var body: [UInt8]
    /// What happened on the wire.
    public var exchange: HTTPCallExchange

    /// An answer.
    public init(
        status: Int, fields: [(name: String, value: String)], body: [UInt8], exchange: HTTPCallExchange
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.exchange = exchange
    }

    /// The first field with this name (compared without case), or nil.
    public func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

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

/// Where in a call something went wrong.
public enum HTTPCallPhase: String, Sendable, Hashable, CaseIterable {
    case dns, connect, tls, send, wait, receive
}

/// Whether the other side may have seen the request.
public enum HTTPCallDelivery: String, Sendable, Hashable, CaseIterable {
    /// No byte of the request left this machine.
    case notSent = "not_sent"
    /// Some or all of it left, and no complete answer came: the other side may have acted on it.
    case sentUnknown = "sent_unknown"
    /// A status line came back.
    case answered
}

/// Why an `HTTPCall` ended without a complete answer.
public struct HTTPCallFailure: Error, Sendable {
    /// A stable dotted code: `dns.not_found`, `connect.refused`, `connect.reset`, `tls.certificate_expired`,
    /// `timeout.connect`, `timeout.first_byte`, `timeout.attempt`, `body.too_large`, `http.protocol`,
    /// `http.redirect`, `egress.blocked`, `cancelled.transport` … (families in `Docs/Errors.md`).
    public var code: String
    /// One line for people: what happened, with host and port where known.
    public var detail: String
    /// What to do about it, when there is something.
    public var suggestion: String?
    /// Where it happened.
    public var phase: HTTPCallPhase
    /// Whether the other side may have acted.
    public var delivery: HTTPCallDelivery
    /// The answer's status when at least its head arrived.
    public var status: Int?
    /// The numeric code of the transport library, for experts (a `CURLcode`); 0 when none.
    public var nativeCode: Int
    /// What happened on the wire until then.
    public var exchange: HTTPCallExchange

    /// A failure.
    public init(
        code: String, detail: String, suggestion: String? = nil, phase: HTTPCallPhase,
        delivery: HTTPCallDelivery,
        status: Int? = nil, nativeCode: Int = 0, exchange: HTTPCallExchange = HTTPCallExchange()
    ) {
        self.code = code
        self.detail = detail
        self.suggestion = suggestion
        self.phase = phase
        self.delivery = delivery
        self.status = status
        self.nativeCode = nativeCode
        self.exchange = exchange
    }
}

/// A question whether something can be reached, asked without sending a request that means anything.
public struct HTTPReachabilityProbe: Sendable, Hashable {
    /// How far the probe goes.
    public enum Depth: String, Sendable, Hashable, CaseIterable {
        /// A TCP connection is opened and closed again.
        case tcp
        /// A `HEAD` request; any HTTP answer counts as reached.
        case http
    }

    /// For `tcp` a URL of which only host and port are used; for `http` the URL that is asked.
    public var url: String
    /// How far the probe goes.
    public var depth: Depth
    /// How long it may take. Default 3 s.
    public var timeout: Duration

    /// A probe.
    public init(url: String, depth: Depth, timeout: Duration = .seconds(3)) {
        self.url = url
        self.depth = depth
        self.timeout = timeout
    }
}
