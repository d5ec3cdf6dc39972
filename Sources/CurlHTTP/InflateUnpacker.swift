import CZlib

/// Decodes gzip and deflate. Several consecutive members of gzip are one content (RFC 1952 §2.2). Deflate is zlib's
/// format (RFC 9110 §8.4.1.2), or the raw one that many servers send.
@safe
final class InflateUnpacker: ContentUnpacker {
    private static let longestWindow: CInt = 15

    private let isGzip: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer = UnpackingBuffer()
    /// The first bytes of deflate, until they reveal its format.
    private var held: [UInt8] = []
    private var hasBegun = false
    private var memberCount = 0
    private(set) var isComplete = false

    init(isGzip: Bool) {
        self.isGzip = isGzip
        unsafe stream = .allocate(capacity: 1)
    }

    deinit {
        if hasBegun { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    private var name: String { isGzip ? "gzip" : "deflate" }

    func unpack(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault) {
        guard !hasBegun else { return try unsafe inflate(piece, put) }
        if isGzip {
            try begin(Self.longestWindow + 16)
            return try unsafe inflate(piece, put)
        }
        unsafe held.append(contentsOf: piece)
        guard held.count >= 2 else { return }
        let isZlib = held[0] & 15 == 8 && (Int(held[0]) << 8 | Int(held[1])) % 31 == 0
        try begin(isZlib ? Self.longestWindow : -Self.longestWindow)
        let bytes = held
        held = []
        // A closure of `withUnsafeBytes` throws untyped, so the fault is returned instead.
        let fault = unsafe bytes.withUnsafeBytes { bytes -> CodingFault? in
            do throws(CodingFault) {
                try unsafe inflate(bytes, put)
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw fault }
    }

    private func begin(_ windowBits: CInt) throws(CodingFault) {
        guard unsafe jobserver_inflate_begin(stream, windowBits) == Z_OK else {
            throw .damaged(name, "zlib has no memory")
        }
        hasBegun = true
    }

    private func inflate(
        _ piece: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws(CodingFault) -> Void
    ) throws(CodingFault) {
        let bytes = unsafe piece.bindMemory(to: UInt8.self)
        unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        while true {
            if isComplete {
                guard unsafe stream.pointee.avail_in > 0 else { return }
                try beginNextMember()
            }
            unsafe stream.pointee.next_out = unsafe buffer.start
            unsafe stream.pointee.avail_out = UInt32(UnpackingBuffer.byteCount)
            let result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
            let left = Int(unsafe stream.pointee.avail_out)
            if left < UnpackingBuffer.byteCount {
                try unsafe put(buffer.filled(UnpackingBuffer.byteCount - left))
            }
            switch result {
            case Z_STREAM_END:
                isComplete = true
                memberCount += 1
            case Z_OK where unsafe left == 0 || stream.pointee.avail_in > 0: continue
            case Z_OK, Z_BUF_ERROR: return
            default: throw fault
            }
        }
    }

    private func beginNextMember() throws(CodingFault) {
        let firstOfMember: UInt8 = 0x1f
        let next = unsafe stream.pointee.next_in.pointee
        guard isGzip, next == firstOfMember else { throw .trailing(name) }
        unsafe inflateReset(stream)
        isComplete = false
    }

    private var fault: CodingFault {
        guard let message = unsafe stream.pointee.msg else { return .damaged(name, "zlib cannot go on") }
        let words = unsafe String(cString: message)
        return memberCount > 0 && words == "incorrect header check" ? .trailing(name) : .damaged(name, words)
    }
}
