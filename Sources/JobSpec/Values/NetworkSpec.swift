/// An HTTP call in a spec. Members that may come from other results are a `Binding`.
package struct NetworkSpec: Sendable, Hashable {
    /// The method: any token but CONNECT and TRACE. Default `GET`.
    package var method = "GET"
    /// An absolute http(s) URL, or an RFC 6570 template of one, expanded with `vars`.
    package var url: String
    /// The template's variables.
    package var vars: [Entry] = []
    /// Parameters added to the URL's query, percent-encoded.
    package var query: [Entry] = []
    package var headers: [Entry] = []
    /// The content, when there is any.
    package var body: Body?
    package var auth: Auth = .none
    /// Whether the request has `auth`, possibly none; otherwise the connection's applies.
    package var hasOwnAuth = false
    /// The connection that it uses, by name.
    package var connection: String?
    /// TLS settings; those of the connection are the default for absent members.
    package var tls = TLS()
    /// The proxy; nil uses the connection's.
    package var proxy: Proxy?
    /// Which redirects are followed.
    package var redirects = RedirectSpec()
    /// Whether the request is conditional: it asks if the content changed since the last good answer to the same
    /// request. For GET and HEAD.
    package var isConditional = false
    /// Whether the cookies that the answer sets are kept in the result. Default false.
    package var keepsCookies = false
    package var http = ProtocolSpec()
    /// The destination of the answer's content.
    package var target = ArtifactSpec()
    /// From the start until the connection is established; default 10 s.
    package var connectTimeout: Duration = .seconds(10)
    /// From the last byte sent to the first byte received; default 30 s.
    package var firstByteTimeout: Duration = .seconds(30)
    /// Between two bytes of the answer; default 30 s.
    package var stallTimeout: Duration = .seconds(30)
    /// One whole attempt; default 60 s.
    package var attemptTimeout: Duration = .seconds(60)
    /// Sent as `Idempotency-Key`, the same over all attempts, and permits repeating POST and PATCH.
    package var idempotencyKey: IdempotencyKey?

    /// A call of this URL.
    package init(url: String) { self.url = url }

    /// Whether it has a request field of this name, which is in lower case.
    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }

    /// A named value.
    package struct Entry: Sendable, Hashable {
        package var name: String
        package var value: Binding

        package init(name: String, value: Binding) {
            self.name = name
            self.value = value
        }
    }

    /// The content of the request; each form sets its own `Content-Type` unless a header does.
    package enum Body: Sendable, Hashable {
        case json(Binding)
        case form([Entry])
        case text(Binding)
        case base64([UInt8])
        case multipart(MultipartSpec)
        case artifact(ContentReference)

        /// Whether some of it is an upload, which is never read into memory.
        var hasUpload: Bool {
            switch self {
            case .artifact(.upload): true
            case .multipart(let form):
                form.parts.contains { if case .artifact(.upload) = $0.content { true } else { false } }
            default: false
            }
        }
    }

    /// The source of the idempotency key.
    package enum IdempotencyKey: Sendable, Hashable {
        /// Made from the job id and the operation's path.
        case auto
        /// Given.
        case fixed(String)
    }
}
