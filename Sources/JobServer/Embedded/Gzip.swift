import CZlib

/// Packs bytes in the format of RFC 1952.
enum Gzip {
    /// `bytes`, packed as small as zlib can; nil when it can not.
    static func pack(_ bytes: [UInt8]) -> [UInt8]? {
        // 15 bits of window, 16 for the format.
        var stream = unsafe z_stream()
        guard unsafe jobserver_deflate_begin(&stream, 15 + 16) == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var input = bytes
        var packed = [UInt8](repeating: 0, count: unsafe Int(deflateBound(&stream, uLong(bytes.count))))
        // Safe because the stream uses both buffers only within the closures, and no more of them than it is told.
        let status = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe packed.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = uInt(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = uInt(output.count)
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        return Array(unsafe packed.prefix(Int(stream.total_out)))
    }
}
