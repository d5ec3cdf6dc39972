/// The reason why coded content could not be decoded.
enum CodingFault: Error, Hashable {
    /// The consumer has refused more, and has stored the reason.
    case refused
    /// The content ended before its coding did.
    case truncated(String)
    /// Data followed the end of the coding.
    case trailing(String)
    /// The coding is malformed, with the message of its library.
    case damaged(String, String)
    /// The coding is unknown.
    case unknown(String)
    /// The content has too many codings.
    case tooMany(Int)
    /// The output of a coding is too large for what arrived.
    case expandsTooMuch
    /// The transfer has a coding other than chunked, for which no request asks.
    case transferIsCoded
}

/// Undoes one coding, piece by piece.
protocol ContentUnpacker: AnyObject {
    /// Whether everything that began has also ended.
    var isComplete: Bool { get }

    /// Decodes a piece, and passes the output to `put`; its bytes are valid only during the call.
    func unpack(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault)
}

/// The buffer for decoded bytes.
@safe
final class UnpackingBuffer {
    static let byteCount = 32 << 10
    let start: UnsafeMutablePointer<UInt8>

    init() { unsafe start = .allocate(capacity: Self.byteCount) }
    deinit { unsafe start.deallocate() }

    /// The first bytes of the buffer.
    func filled(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: count)
    }
}
