import CBrotli

/// Decodes brotli (RFC 7932).
@safe
final class BrotliUnpacker: ContentUnpacker {
    private static let name = "br"
    private let state: OpaquePointer?
    private let buffer = UnpackingBuffer()
    private(set) var isComplete = false

    init() { unsafe state = unsafe BrotliDecoderCreateInstance(nil, nil, nil) }
    deinit { unsafe BrotliDecoderDestroyInstance(state) }

    func unpack(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault) {
        guard let state = unsafe state else { throw .damaged(Self.name, "brotli has no memory") }
        var inputCount = piece.count
        var input = unsafe piece.bindMemory(to: UInt8.self).baseAddress
        while true {
            guard !isComplete else {
                if inputCount > 0 { throw .trailing(Self.name) }
                return
            }
            var left = UnpackingBuffer.byteCount
            var output: UnsafeMutablePointer<UInt8>? = unsafe buffer.start
            let result = unsafe BrotliDecoderDecompressStream(
                state, &inputCount, &input, &left, &output, nil)
            if left < UnpackingBuffer.byteCount {
                try unsafe put(buffer.filled(UnpackingBuffer.byteCount - left))
            }
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS: isComplete = true
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return
            default: throw .damaged(Self.name, words)
            }
        }
    }

    private var words: String {
        guard let text = unsafe BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state)) else {
            return "brotli cannot go on"
        }
        return unsafe String(cString: text)
    }
}
