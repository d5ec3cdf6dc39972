import HTTPMessage

/// A request whose head has been read and whose body is still coming.
struct IncomingRequest {
    /// The head.
    let head: HTTPRequestHead
    /// What has come of the body.
    var body: [UInt8] = []
    /// How many bytes of a body are accepted.
    let bodyBytesMax: Int
    /// Whether the request has been refused: its body is thrown away.
    var isDiscarded = false
}
