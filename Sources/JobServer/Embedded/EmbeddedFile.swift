import CEmbedded

/// Files that are embedded in the program at build time.
enum EmbeddedFile {
    static let openapi = unsafe bytes(of: embedded_openapi())

    private static func bytes(of file: embedded_file) -> [UInt8] {
        // Safe because the file is a constant of `count` bytes.
        unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
