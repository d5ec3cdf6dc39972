/// The reason why an `HTTPCall` ended without a complete response.
public struct HTTPCallFailure: Error, Sendable {
    /// A stable dotted code: `dns.not_found`, `connect.refused`, `connect.reset`, `tls.certificate_expired`,
    /// `timeout.connect`, `timeout.first_byte`, `timeout.stall`, `timeout.attempt`, `body.too_large`,
    /// `body.expansion`, `http.protocol`, `http.redirect`, `proxy.refused`, `egress.blocked`,
    /// `cancelled.transport` … (families in `Docs/Errors.md`).
    public var code: String
    /// One line for people: what happened, with host and port if known.
    public var detail: String
    /// The remedy, if there is one.
    public var suggestion: String?
    /// The phase in which the call failed.
    public var phase: HTTPCallPhase
    /// Whether the upstream may have acted.
    public var delivery: HTTPCallDelivery
    /// The status, when at least the response head arrived.
    public var status: Int?
    /// The native error code of the transport library (a `CURLcode`); 0 when none.
    public var nativeCode: Int
    /// The exchange up to the failure.
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

/// Whether the upstream may have seen the request.
public enum HTTPCallDelivery: String, Sendable, Hashable, CaseIterable {
    /// No byte of the request left this machine.
    case notSent = "not_sent"
    /// Some or all of it left, and no complete response came: the upstream may have acted on it.
    case sentUnknown = "sent_unknown"
    /// A status line came back.
    case answered
}

/// The phase of a call in which it failed.
public enum HTTPCallPhase: String, Sendable, Hashable, CaseIterable {
    /// Waiting in line for a connection.
    case line
    /// The resolution of the host.
    case dns
    /// Opening the connection.
    case connect
    /// The TLS handshake.
    case tls
    /// Sending the request.
    case send
    /// Waiting for the head of the answer.
    case wait
    /// Receiving the body of the answer.
    case receive
}
