/// The answer to an `HTTPCall`: any status counts as an answer.
public struct HTTPCallAnswer: Sendable {
    /// The final status, 200…599.
    public var status: Int
    /// The answer's fields, in order, names as received.
    public var fields: [(name: String, value: String)]
    /// The answer's content, unpacked; empty when a sink took it.
    public var body: [UInt8]
    /// What happened on the wire.
    public var exchange: HTTPCallExchange

    /// An answer.
    public init(
        status: Int, fields: [(name: String, value: String)], body: [UInt8], exchange: HTTPCallExchange
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.exchange = exchange
    }

    /// The first field with this name (compared without case), or nil.
    public func field(_ name: String) -> String? {
        fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }
}
