import HTTPMessage

/// A request whose head has been read and whose body is still arriving.
struct IncomingRequest {
    let head: HTTPRequestHead
    /// The part of the body that has arrived.
    var body: [UInt8] = []
    /// The maximum size of the body.
    let bodyBytesMax: Int
    /// Whether the request has been refused, so that its body is discarded.
    var isDiscarded = false
    /// The refusal of a chunked body, while it may be complete in what has come.
    var refusal: HTTPResponse?
}
