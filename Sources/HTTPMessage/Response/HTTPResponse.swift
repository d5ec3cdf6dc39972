/// A response: status, fields and content. Framing fields are added when it is written.
package struct HTTPResponse: Sendable {
    package var status: HTTPStatus
    /// The fields. The writer sets `Content-Length`, `Transfer-Encoding`, `Connection` and `Date`; such fields here are
    /// not sent.
    package var fields: HTTPFields
    package var body: HTTPBody
    /// The request id in responses and logs, sent as `X-Request-Id`. Not sent if it contains a byte that is invalid in
    /// a field value.
    package var requestID: String?
    /// The times that it took, sent as `Server-Timing`.
    package var timing: HTTPServerTiming?
    /// Whether caches may answer with it only after they have asked: sent as `Cache-Control: no-cache`, without an
    /// `ETag` to ask with as `no-store`, unless the fields have a `Cache-Control`. With none, caches may choose a time
    /// of their own (RFC 9111 §4.2.2).
    package var isAlwaysAsked = false
    /// Released when the content has been sent or dropped: an owner of memory, for example.
    package var hold: (any AnyObject & Sendable)?

    package init(status: HTTPStatus, fields: HTTPFields = [:], body: HTTPBody = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The content of a response.
package enum HTTPBody: Sendable {
    /// No content, announced as `Content-Length: 0` if a length is announced at all.
    case empty
    /// The whole content.
    case bytes([UInt8])
    /// Produced while it is sent. With a length, exactly that many bytes must come: otherwise the connection is broken.
    case stream(length: Int?, any HTTPBodySource)

    /// The length in bytes; nil when it is not known beforehand.
    package var length: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): length
        }
    }
}

/// Produces the content of a response piece by piece.
package protocol HTTPBodySource: Sendable {
    /// The next piece; nil at the end. An empty piece is skipped.
    ///
    /// Called again only when the previous piece has been sent, never concurrently, on the caller's executor.
    /// - Throws: anything; the response is cut off then, so that the client sees that it is incomplete.
    func next() async throws -> [UInt8]?

    /// Signals that no more pieces are needed, because the client has disconnected, the server stops, or `next` threw.
    /// May come at any time, also during `next`, at most once; not called after the end.
    func cancel()
}
