/// The framing of a request body (RFC 9112 §6).
package enum HTTPBodyFraming: Sendable, Hashable {
    /// No body.
    case none
    /// This number of bytes, at least 1.
    case length(Int)
    /// Chunks of unknown total size.
    case chunked
}

/// The validated head of a request.
package struct HTTPRequestHead: Sendable {
    /// The method.
    package var method: HTTPMethod
    /// The request target.
    package var target: RequestTarget
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    package var minorVersion: Int
    /// The fields, in order, without blanks around values.
    package var fields: HTTPFields
    /// The framing of the body.
    package var framing: HTTPBodyFraming
    /// Whether the client wants the connection kept after the answer (RFC 9112 §9.3).
    package var keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its body (RFC 9110 §10.1.1). Never with
    /// HTTP/1.0 or without a body.
    package var expectsContinue: Bool

    /// Creates a head, such as for a test of a route.
    package init(
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
    package var contentLength: Int? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked: nil
        }
    }

    /// Whether the body is chunked.
    package var isChunked: Bool { framing == .chunked }

    /// The requested host, `host` or `host:port`: the target's in absolute form, else the Host field.
    package var authority: String? { target.authority ?? fields["host"] }
}

/// A complete request.
package struct HTTPRequest: Sendable {
    /// Everything but the body.
    package var head: HTTPRequestHead
    /// The decoded content. Empty when there is none.
    package var body: [UInt8]

    /// A request.
    package init(head: HTTPRequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
