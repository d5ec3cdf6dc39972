/// The framing of a request body (RFC 9112 §6).
public enum HTTPBodyFraming: Sendable, Hashable {
    /// No body.
    case none
    /// This number of bytes, at least 1.
    case length(Int)
    /// Chunks of unknown total size.
    case chunked
}

/// The validated head of a request.
public struct HTTPRequestHead: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The request target.
    public var target: RequestTarget
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    public var minorVersion: Int
    /// The fields, in order, without blanks around values.
    public var fields: HTTPFields
    /// The framing of the body.
    public var framing: HTTPBodyFraming
    /// Whether the client wants the connection kept after the answer (RFC 9112 §9.3).
    public var keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its body (RFC 9110 §10.1.1). Never with
    /// HTTP/1.0 or without a body.
    public var expectsContinue: Bool

    /// Creates a head, such as for a test of a route.
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

    /// The announced length of the body in bytes; 0 without a body, nil when it is chunked.
    public var contentLength: Int? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked: nil
        }
    }

    /// Whether the body is chunked.
    public var isChunked: Bool { framing == .chunked }

    /// The requested host, `host` or `host:port`: the target's in absolute form, else the Host field.
    public var authority: String? { target.authority ?? fields["host"] }
}

/// A complete request.
public struct HTTPRequest: Sendable {
    /// Everything but the body.
    public var head: HTTPRequestHead
    /// The decoded content. Empty when there is none.
    public var body: [UInt8]

    /// A request.
    public init(head: HTTPRequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
