import CEmbedded

/// Files that are embedded in the program at build time.
enum EmbeddedFile {
    static let openapi = unsafe bytes(of: embedded_openapi())

    /// The files of the page, by their path below `Sources/Page`.
    static func page() -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for index in 0..<embedded_page_count() {
            let file = unsafe embedded_page(index)
            files[unsafe String(cString: file.path)] = unsafe bytes(of: file.content)
        }
        return files
    }

    private static func bytes(of file: embedded_file) -> [UInt8] {
        // Safe because the file is a constant of `count` bytes.
        unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
