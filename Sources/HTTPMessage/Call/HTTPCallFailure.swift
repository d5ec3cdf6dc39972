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
