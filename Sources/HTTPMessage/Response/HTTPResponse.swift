/// An answer: status, fields and content. Framing fields are added when it is written.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The fields. `Content-Length`, `Transfer-Encoding`, `Connection` and `Date` are set by the writer; such
    /// fields here are not sent.
    public var fields: HTTPFields
    /// The content.
    public var body: HTTPBody
    /// The name of the request in answers and logs, sent as `X-Request-Id`. Not sent with a byte that no field value
    /// may hold.
    public var requestID: String?

    /// An answer.
    public init(status: HTTPStatus, fields: HTTPFields = [:], body: HTTPBody = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The content of an answer.
public enum HTTPBody: Sendable {
    /// No content, announced as `Content-Length: 0` where a length is announced at all.
    case empty
    /// All of it.
    case bytes([UInt8])
    /// Produced while it is sent. With a length that many bytes must come: fewer or more break the
    /// connection.
    case stream(length: Int?, any HTTPBodySource)

    /// The length in bytes, or nil when it is not known beforehand.
    public var length: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): length
        }
    }
}

/// Produces the content of an answer piece by piece.
public protocol HTTPBodySource: Sendable {
    /// The next piece, or nil at the end. An empty piece is passed over.
    ///
    /// Called again only when the piece before has gone out, never twice at once, on the caller's executor.
    /// - Throws: anything; the answer is cut off then, so that the client sees it is incomplete.
    func next() async throws -> [UInt8]?

    /// Says that nothing more will be asked for, because the client went away or the server stops. May come
    /// at any time, also during `next`, at most once; not called after the end.
    func cancel()
}
