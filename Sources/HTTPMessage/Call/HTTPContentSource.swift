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
