import Glibc

// DESIGN
// Syncing bytes appended to a file takes about twice as long as syncing overwritten ones: the file system has to write
// the new length, too. SQLite restarts its log at the beginning of the same file, so only the first pass appends. In
// that pass zeros are written ahead of it, a piece at a time. They are not part of the log: SQLite finds its end by
// salts and checksums, as it must when older frames follow the newest.

/// Keeps the file of the write-ahead log somewhat longer than the log. Used by the writer thread only.
struct LogSpace: ~Copyable {
    private let path: String
    private let bytesMax: Int
    private var descriptor: CInt = -1
    private var length = 0
    private static let piece = 512 << 10
    /// The size of one write, and the length kept ahead of the log.
    private static let write = 32 << 10
    private static let margin = 128 << 10

    /// - Parameters:
    ///   - path: the log, which need not exist yet.
    ///   - bytesMax: the length at which the log restarts.
    init(path: String, bytesMax: Int) {
        self.path = path
        self.bytesMax = bytesMax
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    mutating func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Records that the file was cut to nothing.
    mutating func beginAnew() { length = 0 }

    /// Writes zeros ahead when the log approaches the end of the file. Does nothing when the disk is full.
    /// - Parameter used: the approximate length of the log.
    mutating func keepAhead(of used: Int) {
        guard length < bytesMax, used + Self.margin > length || descriptor < 0 else { return }
        if descriptor < 0 { descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC) }
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return }
        length = Int(status.st_size)
        guard length < bytesMax, used + Self.margin > length else { return }
        let zeros = [UInt8](repeating: 0, count: Self.write)
        let end = min(bytesMax, length + Self.piece)
        while length < end {
            let count = min(Self.write, end - length)
            let written = unsafe zeros.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, count, off_t(length))
            }
            guard written > 0 else { return }
            length += written
        }
    }
}
