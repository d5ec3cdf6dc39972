/// Bytes with a stable address for the life of this object, for C code that keeps a pointer to them.
@safe
final class PinnedBytes {
    let start: UnsafeMutableRawPointer
    let count: Int

    init(_ bytes: [UInt8]) {
        count = bytes.count
        unsafe start = .allocate(byteCount: max(1, bytes.count), alignment: 16)
        unsafe bytes.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: start, count: $0.count).copyMemory(from: $0)
        }
    }

    deinit { unsafe start.deallocate() }
}
