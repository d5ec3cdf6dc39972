import HTTPMessage

/// A request whose head has been read and whose body is still arriving. A class, so that a question about it copies
/// nothing.
final class IncomingRequest {
    let head: HTTPRequestHead
    /// The part of the body that has arrived, unless a sink took it.
    var body: [UInt8] = []
    /// The sink that takes the body as it arrives; nil keeps it in memory.
    var sink: (any HTTPBodySink)?
    /// The number of bytes that the sink has taken.
    var sunkBytes = 0
    /// The maximum size of the body.
    let bodyBytesMax: Int
    /// Whether the request has been refused, so that its body is discarded.
    var isDiscarded = false
    /// The refusal of a chunked body, while it may be complete in what has come.
    var refusal: HTTPResponse?

    init(
        head: HTTPRequestHead, sink: (any HTTPBodySink)? = nil, bodyBytesMax: Int, isDiscarded: Bool = false
    ) {
        self.head = head
        self.sink = sink
        self.bodyBytesMax = bodyBytesMax
        self.isDiscarded = isDiscarded
    }
}
