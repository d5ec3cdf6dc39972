/// Why coded content could not be unpacked.
enum CodingFault: Error, Hashable {
    /// Who takes the content wants no more of it, and has said why.
    case refused
    /// The content ended before its coding did.
    case truncated(String)
    /// Content went on behind the end of its coding.
    case trailing(String)
    /// The coding is broken, in the words of its library.
    case damaged(String, String)
    /// Such a coding is not known here.
    case unknown(String)
    /// So many codings are around the content.
    case tooMany(Int)
    /// What one coding holds is too much for what arrived.
    case expandsTooMuch
}

/// Undoes one coding, piece by piece.
protocol ContentUnpacker: AnyObject {
    /// Whether everything that was begun has also ended.
    var isComplete: Bool { get }

    /// Unpacks a piece, and hands what comes of it to `put` as long as the call lasts.
    func unpack(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault)
}

/// Where unpacked bytes lie until they are handed on.
@safe
final class UnpackingRoom {
    static let byteCount = 32 << 10
    let start: UnsafeMutablePointer<UInt8>

    init() { unsafe start = .allocate(capacity: Self.byteCount) }
    deinit { unsafe start.deallocate() }

    /// The first bytes.
    func filled(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: count)
    }
}
