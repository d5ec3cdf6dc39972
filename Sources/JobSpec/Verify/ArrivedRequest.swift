package import HTTPMessage

/// A request from outside, as far as senders sign it.
package struct ArrivedRequest: Sendable {
    package var method: String
    /// The value of `Host`.
    package var host: [UInt8]
    /// The path with the query, as it was sent.
    package var target: [UInt8]
    package var fields: HTTPFields
    /// The bytes as they came, never parsed and written again.
    package var body: [UInt8]

    package init(
        method: String, host: [UInt8], target: [UInt8], fields: HTTPFields, body: [UInt8]
    ) {
        self.method = method
        self.host = host
        self.target = target
        self.fields = fields
        self.body = body
    }
}
