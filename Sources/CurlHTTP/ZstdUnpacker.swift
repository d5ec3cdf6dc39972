import CZstd

/// Decodes zstd (RFC 8878). Several consecutive frames are one content.
@safe
final class ZstdUnpacker: ContentUnpacker {
    private static let name = "zstd"
    /// The maximum window of a frame, as a power of two: the 8 MiB that HTTP content may use (RFC 9659).
    private static let windowLogMax: CInt = 23

    private let context: OpaquePointer?
    private let buffer = UnpackingBuffer()
    private var frameCount = 0
    private(set) var isComplete = false

    init() {
        unsafe context = unsafe ZSTD_createDCtx()
        if let context = unsafe context {
            unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLogMax)
        }
    }

    deinit { unsafe ZSTD_freeDCtx(context) }

    func unpack(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault) {
        guard let context = unsafe context else { throw .damaged(Self.name, "zstd has no memory") }
        var input = unsafe ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
        while unsafe input.pos < input.size || !isComplete {
            var output = unsafe ZSTD_outBuffer(dst: buffer.start, size: UnpackingBuffer.byteCount, pos: 0)
            let wanted = unsafe ZSTD_decompressStream(context, &output, &input)
            if unsafe output.pos > 0 { try unsafe put(buffer.filled(output.pos)) }
            if ZSTD_isError(wanted) != 0 { throw fault(wanted) }
            isComplete = wanted == 0
            if isComplete { frameCount += 1 }
            if unsafe input.pos == input.size, unsafe output.pos < output.size { return }
        }
    }

    private func fault(_ result: Int) -> CodingFault {
        let isNoFrame = ZSTD_getErrorCode(result) == ZSTD_error_prefix_unknown
        if frameCount > 0, isComplete, isNoFrame { return .trailing(Self.name) }
        guard let text = unsafe ZSTD_getErrorName(result) else {
            return .damaged(Self.name, "zstd cannot go on")
        }
        return .damaged(Self.name, unsafe String(cString: text))
    }
}
