/// Request content that is read piece by piece while it is sent, and again from the start when a request is repeated.
///
/// Called on the transport's loop. Must be quick.
public protocol HTTPContentSource: AnyObject, Sendable {
    /// How long the content is, in bytes, 0 or more. Stays the same.
    var byteCount: Int { get }

    /// Reads what stands from `offset` on. The same offset gives the same bytes every time.
    ///
    /// - Parameters:
    ///   - offset: 0…`byteCount`.
    ///   - bytes: where to; filled from its start.
    /// - Returns: how many bytes were read, at least 1 as long as `offset` is below `byteCount`.
    /// - Throws: what ends the call. Its code, detail and suggestion are those of the call's failure.
    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int
}
