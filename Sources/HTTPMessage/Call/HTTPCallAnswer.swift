/// The response to an `HTTPCall`, with any status.
public struct HTTPCallAnswer: Sendable {
    /// The final status, 200…999.
    public var status: Int
    /// The response fields, in order, with names as received.
    public var fields: [(name: String, value: String)]
    /// The response content, decoded except for `contentCoding`; empty when a sink received it.
    public var body: [UInt8]
    /// The timings and facts of the HTTP exchange.
    public var exchange: HTTPCallExchange
    /// The codings that the content still has, as in `Content-Encoding`, when decoding was disabled or the content is a
    /// range. Nil when it is decoded.
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

    /// The first field with this name (case-insensitive), or nil.
    public func field(_ name: String) -> String? {
        fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }
}
