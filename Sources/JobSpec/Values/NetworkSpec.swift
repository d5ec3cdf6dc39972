/// An HTTP call in a spec. Members that may come from other results are a `Binding`.
public struct NetworkSpec: Sendable, Hashable {
    /// The method: any token but CONNECT and TRACE. Default `GET`.
    public var method = "GET"
    /// An absolute http(s) URL, or an RFC 6570 template of one, expanded with `vars`.
    public var url: String
    /// The template's variables.
    public var vars: [Entry] = []
    /// Parameters added to the URL's query, percent-encoded.
    public var query: [Entry] = []
    /// Request fields.
    public var headers: [Entry] = []
    /// The content, when there is any.
    public var body: Body?
    /// Its credentials.
    public var auth: Auth = .none
    /// Whether the request has `auth`, possibly none; otherwise the connection's applies.
    public var hasOwnAuth = false
    /// The connection that it uses, by name.
    public var connection: String?
    /// TLS settings; those of the connection are the default for absent members.
    public var tls = TLS()
    /// The proxy; nil uses the connection's.
    public var proxy: Proxy?
    /// Which redirects are followed.
    public var redirects = RedirectSpec()
    /// Whether the request is conditional: it asks if the content changed since the last good answer to the same
    /// request. For GET and HEAD.
    public var isConditional = false
    /// Whether the cookies that the answer sets are kept in the result. Default false.
    public var keepsCookies = false
    /// HTTP settings.
    public var http = ProtocolSpec()
    /// The destination of the answer's content.
    public var target = ArtifactSpec()
    /// From the start until the connection is established; default 10 s.
    public var connectTimeout: Duration = .seconds(10)
    /// From the last byte sent to the first byte received; default 30 s.
    public var firstByteTimeout: Duration = .seconds(30)
    /// Between two bytes of the answer; default 30 s.
    public var stallTimeout: Duration = .seconds(30)
    /// One whole attempt; default 60 s.
    public var attemptTimeout: Duration = .seconds(60)
    /// Sent as `Idempotency-Key`, the same over all attempts, and permits repeating POST and PATCH.
    public var idempotencyKey: IdempotencyKey?

    /// A call of this URL.
    public init(url: String) { self.url = url }

    /// Whether it has a request field of this name, which is in lower case.
    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }

    /// A named value.
    public struct Entry: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: Binding

        /// A named value.
        public init(name: String, value: Binding) {
            self.name = name
            self.value = value
        }
    }

    /// The content of the request; each form sets its own `Content-Type` unless a header does.
    public enum Body: Sendable, Hashable {
        case json(Binding)
        case form([Entry])
        case text(Binding)
        case base64([UInt8])
        case multipart(MultipartSpec)
        case artifact(ContentReference)
    }

    /// The source of the idempotency key.
    public enum IdempotencyKey: Sendable, Hashable {
        /// Made from the job id and the operation's path.
        case auto
        /// Given.
        case fixed(String)
    }
}
