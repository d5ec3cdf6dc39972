/// The answer to an `HTTPCall`: any status counts as an answer.
public struct HTTPCallAnswer: Sendable {
    /// The final status, 200…999.
    public var status: Int
    /// The answer's fields, in order, names as received.
    public var fields: [(name: String, value: String)]
    /// The answer's content, unpacked but for `contentCoding`; empty when a sink took it.
    public var body: [UInt8]
    /// What happened on the wire.
    public var exchange: HTTPCallExchange
    /// The codings that the content has still, as `Content-Encoding` says them: it was wanted as it came, or is a part.
    /// Nil when it is unpacked.
    public var contentCoding: String?

    /// An answer.
    public init(
        status: Int, fields: [(name: String, value: String)], body: [UInt8], exchange: HTTPCallExchange,
        contentCoding: String? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.exchange = exchange
        self.contentCoding = contentCoding
    }

    /// The first field with this name (compared without case), or nil.
    public func field(_ name: String) -> String? {
        fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }
}
