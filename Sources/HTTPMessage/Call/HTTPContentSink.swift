/// Takes the content of an answer piece by piece, so that it need not fit into memory.
///
/// Called on the transport's loop, one call at a time, in order, and only for the final answer: an answer that is
/// a followed redirect does not come here. Must be quick.
public protocol HTTPContentSink: AnyObject, Sendable {
    /// The final answer has begun; `take` follows for each piece of its content, if it has any. Called once for each
    /// answer, thus again when the same sink serves a further attempt.
    ///
    /// - Parameters:
    ///   - status: 200…999.
    ///   - fields: in order, names as received.
    /// - Throws: what ends the call; nothing more is taken then.
    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure)

    /// Takes the next piece, unpacked. The bytes are gone after the call.
    ///
    /// - Throws: what ends the call; nothing more is taken then. Its code, detail and suggestion are those of the
    ///   call's failure; status, delivery and exchange are set by the transport.
    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure)
}
