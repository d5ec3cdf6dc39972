import HTTPMessage

/// A request whose head has been read and whose body is still arriving. A class, so that a question about it copies
/// nothing.
final class IncomingRequest {
    let head: HTTPRequestHead
    /// Answers the request once it is complete; nil when it has been refused, so that its body is discarded.
    let handler: (any HTTPRequestHandler)?
    /// The part of the body that has arrived, unless a sink took it.
    var body: [UInt8] = []
    /// The sink that takes the body as it arrives; nil keeps it in memory.
    let sink: (any HTTPBodySink)?
    /// The number of bytes that the sink has taken.
    var sunkBytes = 0
    /// The maximum size of the body.
    let bodyBytesMax: Int
    /// The refusal of a chunked body, while it may be complete in what has come.
    var refusal: HTTPResponse?

    init(
        head: HTTPRequestHead, handler: (any HTTPRequestHandler)?, sink: (any HTTPBodySink)? = nil,
        bodyBytesMax: Int
    ) {
        self.head = head
        self.handler = handler
        self.sink = sink
        self.bodyBytesMax = bodyBytesMax
    }

    var isDiscarded: Bool { handler == nil }
}
