/// One outgoing HTTP request, complete: what to send, where, by which way, and which clocks apply.
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
    /// Request content that is read piece by piece while it is sent. It takes the place of `body`.
    public var source: (any HTTPContentSource)?
    /// Takes the answer's content piece by piece. `HTTPCallAnswer.body` stays empty then.
    public var sink: (any HTTPContentSink)?
    /// From the start until the connection stands (name look-up, TCP and TLS). Default 10 s.
    public var connectTimeout: Duration = .seconds(10)
    /// From the last byte sent until the first byte received; an interim answer (1xx) starts it again. Default 30 s.
    public var firstByteTimeout: Duration = .seconds(30)
    /// How long nothing may come of an answer that has begun, or nothing may leave of content that is being sent.
    /// Default 30 s.
    public var stallTimeout: Duration = .seconds(30)
    /// The whole call. Default 60 s.
    public var attemptTimeout: Duration = .seconds(60)
    /// How many redirects are followed, 0…20; 0 returns the 3xx answer itself. Authorisation, cookies and fields
    /// whose names speak of keys, tokens or secrets are sent on only to the same scheme, host and port.
    public var redirectsMax = 0
    /// Names, in small letters, of further fields that carry something confidential and stay behind like those.
    public var confidentialFields: Set<String> = []
    /// Whether the content is confidential: it is not sent to another scheme, host or port either. A redirect that asks
    /// for that ends the call with `http.redirect`.
    public var hasConfidentialContent = false
    /// Where redirects may lead. Default `anywhere`.
    public var redirectScope = HTTPRedirectScope.anywhere
    /// The largest answer content taken, counted after unpacking, with or without a sink. A larger one fails with
    /// `body.too_large`. Default 8 MiB.
    public var answerBytesMax = 8 << 20
    /// Behind a reference, because nearly every call goes the plain way and calls are copied often.
    private var chosenRoute: ChosenRoute?

    /// A call with the default clocks, by the plain way.
    public init(
        method: String, url: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// The way to the upstream. Default: the plain one.
    public var route: HTTPCallRoute {
        get { chosenRoute?.route ?? HTTPCallRoute() }
        set { chosenRoute = newValue == HTTPCallRoute() ? nil : ChosenRoute(newValue) }
    }

    /// Whether the call goes the plain way: its route is the default one.
    public var takesPlainRoute: Bool { chosenRoute == nil }

    /// Whether the call has content to send, be it empty.
    public var hasContent: Bool { body != nil || source != nil }
}

/// Holds the route of a call that has one of its own.
private final class ChosenRoute: Sendable {
    let route: HTTPCallRoute

    init(_ route: HTTPCallRoute) {
        self.route = route
    }
}
