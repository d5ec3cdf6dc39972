/// The framing of a request body (RFC 9112 §6).
package enum HTTPBodyFraming: Sendable, Hashable {
    /// No body.
    case none
    /// This number of bytes, at least 1.
    case length(Int)
    /// Chunks of unknown total size.
    case chunked
}

/// The validated head of a request. One reference, since each floor of a server hands it on.
package struct HTTPRequestHead: Sendable {
    @usableFromInline
    final class Parts: Sendable {
        @usableFromInline let method: HTTPMethod
        @usableFromInline let target: RequestTarget
        @usableFromInline let minorVersion: Int
        @usableFromInline let fields: HTTPFields
        @usableFromInline let framing: HTTPBodyFraming
        @usableFromInline let keepAlive: Bool
        @usableFromInline let expectsContinue: Bool

        init(
            _ method: HTTPMethod, _ target: RequestTarget, _ minorVersion: Int, _ fields: HTTPFields,
            _ framing: HTTPBodyFraming, _ keepAlive: Bool, _ expectsContinue: Bool
        ) {
            self.method = method
            self.target = target
            self.minorVersion = minorVersion
            self.fields = fields
            self.framing = framing
            self.keepAlive = keepAlive
            self.expectsContinue = expectsContinue
        }
    }

    @usableFromInline let parts: Parts

    /// The method.
    @inlinable package var method: HTTPMethod { parts.method }
    /// The request target.
    @inlinable package var target: RequestTarget { parts.target }
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    @inlinable package var minorVersion: Int { parts.minorVersion }
    /// The fields, in order, without blanks around values.
    @inlinable package var fields: HTTPFields { parts.fields }
    /// The framing of the body.
    @inlinable package var framing: HTTPBodyFraming { parts.framing }
    /// Whether the client wants the connection kept after the answer (RFC 9112 §9.3).
    @inlinable package var keepAlive: Bool { parts.keepAlive }
    /// Whether the client waits for `100 Continue` before it sends its body (RFC 9110 §10.1.1). Never with
    /// HTTP/1.0 or without a body.
    @inlinable package var expectsContinue: Bool { parts.expectsContinue }

    /// Creates a head, such as for a test of a route.
    package init(
        method: HTTPMethod, target: RequestTarget, minorVersion: Int = 1, fields: HTTPFields = [:],
        framing: HTTPBodyFraming = .none, keepAlive: Bool = true, expectsContinue: Bool = false
    ) {
        parts = Parts(method, target, minorVersion, fields, framing, keepAlive, expectsContinue)
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

    package init(head: HTTPRequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
