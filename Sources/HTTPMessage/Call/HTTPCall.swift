/// One outgoing HTTP request with its route and its timeouts.
public struct HTTPCall: Sendable {
    /// The request method, a token (RFC 9110 §9.1), such as `GET`.
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    /// The request fields, in order. The client sets `Host`, `Content-Length`, `Transfer-Encoding`, `Connection` and
    /// the other fields that frame a message; a call that contains one is refused with `http.field`.
    public var fields: [(name: String, value: String)]
    /// The request content; nil sends none.
    public var body: [UInt8]?
    /// Request content that is read piece by piece while it is sent. Replaces `body`.
    public var source: (any HTTPContentSource)?
    /// Receives the response content piece by piece. `HTTPCallAnswer.body` stays empty then.
    public var sink: (any HTTPContentSink)?
    /// The time until the connection is established (name look-up, TCP and TLS), without the wait in line for it.
    /// Default 10 s.
    public var connectTimeout: Duration = .seconds(10)
    /// The time from the last byte sent to the first byte received; an interim response (1xx) restarts it. Default 30
    /// s.
    public var firstByteTimeout: Duration = .seconds(30)
    /// The longest pause within a response, or within content being sent. Default 30 s.
    public var stallTimeout: Duration = .seconds(30)
    /// The time of the whole call, in line for a connection included. Default 60 s.
    public var attemptTimeout: Duration = .seconds(60)
    /// The maximum number of redirects, 0…20; 0 returns the 3xx response itself. Authorization, cookies and fields
    /// whose names mention keys, tokens or secrets are sent on only to the same scheme, host and port.
    public var redirectsMax = 0
    /// The lower-case names of further confidential fields, which are treated like those.
    public var confidentialFields: Set<String> = []
    /// Whether the content is confidential: it is not sent to another scheme, host or port either. A redirect that
    /// would do so fails the call with `http.redirect`.
    public var hasConfidentialContent = false
    /// The permitted targets of redirects. Default `anywhere`.
    public var redirectScope = HTTPRedirectScope.anywhere
    /// The maximum size of the response content in bytes, counted after decoding, with or without a sink. A larger one
    /// fails with `body.too_large`. Default 8 MiB.
    public var answerBytesMax = 8 << 20
    /// Behind a reference, because nearly every call takes the default route and calls are copied often.
    private var chosenRoute: ChosenRoute?

    /// Creates a call with the default timeouts and the default route.
    public init(
        method: String, url: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// The route to the upstream. Default: direct.
    public var route: HTTPCallRoute {
        get { chosenRoute?.route ?? HTTPCallRoute() }
        set { chosenRoute = newValue == HTTPCallRoute() ? nil : ChosenRoute(newValue) }
    }

    /// Whether the route is the default one.
    public var takesPlainRoute: Bool { chosenRoute == nil }

    /// Whether the call has content to send, possibly empty.
    public var hasContent: Bool { body != nil || source != nil }
}

/// Holds the route of a call that does not take the default one.
private final class ChosenRoute: Sendable {
    let route: HTTPCallRoute

    init(_ route: HTTPCallRoute) {
        self.route = route
    }
}
