/// Why an `HTTPCall` ended without a complete answer.
public struct HTTPCallFailure: Error, Sendable {
    /// A stable dotted code: `dns.not_found`, `connect.refused`, `connect.reset`, `tls.certificate_expired`,
    /// `timeout.connect`, `timeout.first_byte`, `timeout.stall`, `timeout.attempt`, `body.too_large`,
    /// `body.expansion`, `http.protocol`, `http.redirect`, `proxy.refused`, `egress.blocked`,
    /// `cancelled.transport` … (families in `Docs/Errors.md`).
    public var code: String
    /// One line for people: what happened, with host and port where known.
    public var detail: String
    /// What to do about it, when there is something.
    public var suggestion: String?
    /// Where it happened.
    public var phase: HTTPCallPhase
    /// Whether the upstream may have acted.
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
