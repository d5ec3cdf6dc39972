/// How the end of a request body is found (RFC 9112 §6).
public enum HTTPBodyFraming: Sendable, Hashable {
    /// No body.
    case none
    /// So many bytes, at least 1.
    case length(Int)
    /// Chunks, of unknown total.
    case chunked
}

/// Everything of a request but its body, checked.
public struct HTTPRequestHead: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// What is asked for.
    public var target: RequestTarget
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    public var minorVersion: Int
    /// The fields, in order, blanks around values removed.
    public var fields: HTTPFields
    /// How the end of the body is found.
    public var framing: HTTPBodyFraming
    /// Whether the client wants the connection kept after the answer (RFC 9112 §9.3).
    public var keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its body (RFC 9110 §10.1.1). Never with
    /// HTTP/1.0 or without a body.
    public var expectsContinue: Bool

    /// A head, for instance for a test of a route.
    public init(
        method: HTTPMethod, target: RequestTarget, minorVersion: Int = 1, fields: HTTPFields = [:],
        framing: HTTPBodyFraming = .none, keepAlive: Bool = true, expectsContinue: Bool = false
    ) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.fields = fields
        self.framing = framing
        self.keepAlive = keepAlive
        self.expectsContinue = expectsContinue
    }

    /// The announced length of the body in bytes; 0 without a body, nil when it comes in chunks.
    public var contentLength: Int? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked: nil
        }
    }

    /// Whether the body comes in chunks.
    public var isChunked: Bool { framing == .chunked }

    /// The host the client means, `host` or `host:port`: the target's in absolute form, else the Host field.
    public var authority: String? { target.authority ?? fields["host"] }
}

/// A complete request.
public struct HTTPRequest: Sendable {
    /// Everything but the body.
    public var head: HTTPRequestHead
    /// The content, chunking removed. Empty when there is none.
    public var body: [UInt8]

    /// A request.
    public init(head: HTTPRequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
