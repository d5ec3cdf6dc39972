import CEmbedded

/// Files that the program carries, as they were when it was built.
enum EmbeddedFile {
    /// The description of the API.
    static let openapi = unsafe bytes(of: embedded_openapi())

    private static func bytes(of file: embedded_file) -> [UInt8] {
        // Safe because the file is a constant of `count` bytes.
        unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
