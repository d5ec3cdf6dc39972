/// Receives the content of a response piece by piece, so that it need not fit into memory.
///
/// Called on the transport's loop, one call at a time, in order, and only for the final response, not for redirects
/// that are followed. Must be quick.
public protocol HTTPContentSink: AnyObject, Sendable {
    /// Begins the final response; `take` follows for each piece of its content, if any. Called once per response, thus
    /// again when the same sink serves another attempt.
    ///
    /// - Parameters:
    ///   - status: 200…999.
    ///   - fields: in order, names as received.
    /// - Throws: the failure that ends the call; no further calls follow.
    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure)

    /// Takes the next decoded piece. The bytes are valid only during the call.
    ///
    /// - Throws: the failure that ends the call; no further calls follow. Its code, detail and suggestion are those of
    ///   the call's failure; status, delivery and exchange are set by the transport.
    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure)
}

/// Request content that is read piece by piece while it is sent, and again from the start when a request is repeated.
///
/// Called on the transport's loop. Must be quick.
public protocol HTTPContentSource: AnyObject, Sendable {
    /// The length of the content in bytes, 0 or more. Constant.
    var byteCount: Int { get }

    /// Reads from `offset`. The same offset gives the same bytes every time.
    ///
    /// - Parameters:
    ///   - offset: 0…`byteCount`.
    ///   - bytes: the destination, filled from its start.
    /// - Returns: the number of bytes read, at least 1 while `offset` is below `byteCount`.
    /// - Throws: the failure that ends the call. Its code, detail and suggestion are those of the call's failure.
    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int
}

/// Backpressure of a consumer on the long content of responses.
package protocol Backpressure: Sendable {
    /// Whether long content has to wait. From any thread; quick.
    var isOn: Bool { get }

    /// Calls `then` once long content need not wait any more, at once if it need not now. On any thread.
    func whenOff(_ then: @escaping @Sendable () -> Void)
}
