internal import HTTPMessage

/// A request to the server.
struct ServerRequest: Sendable {
    var method = "GET"
    /// The path with its query.
    var path: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// Content that is read while it is sent, in place of `body`.
    var source: (any HTTPContentSource)?
    var sink: (any HTTPContentSink)?
    /// Whether the request may be sent again when its answer was lost.
    var isRepeatable = true
    /// The time until the first byte of the answer.
    var patience: Duration = .seconds(30)
    /// The time after which it is not sent again; nil is that of the connection.
    var giveUpAt: ContinuousClock.Instant?

    /// A request that reads.
    init(_ path: String) { self.path = path }

    /// A request with JSON content.
    init(post path: String, _ body: [UInt8], type: String = "application/json", isRepeatable: Bool) {
        method = "POST"
        self.path = path
        self.body = body
        fields = [("Content-Type", type)]
        self.isRepeatable = isRepeatable
    }
}
