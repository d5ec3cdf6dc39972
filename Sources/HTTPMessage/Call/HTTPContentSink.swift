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
