import Glibc

// DESIGN
// A sync of bytes that were appended to a file takes about twice as long as one of bytes that were written over others:
// the file system has to write down the new length, too. SQLite begins its log at the front of the same file again and
// again, so only the first turn appends. In that turn zeros are written ahead of it, a piece at a time. They are no
// part of the log: SQLite finds its end by salts and checksums, as it has to when older frames stand behind the newest.

/// The file of the write-ahead log, kept somewhat longer than the log. Used by the writer thread only.
struct LogSpace: ~Copyable {
    private let path: String
    private let bytesMax: Int
    private var descriptor: CInt = -1
    private var length = 0
    private static let piece = 512 << 10
    /// As much is written by one call.
    private static let write = 32 << 10
    private static let margin = 128 << 10

    /// - Parameters:
    ///   - path: the log, which need not exist yet.
    ///   - bytesMax: the log begins at the front again before it is longer than this.
    init(path: String, bytesMax: Int) {
        self.path = path
        self.bytesMax = bytesMax
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Writes zeros ahead when the log has come near the end of the file. Without room on the disk it does nothing.
    /// - Parameter used: about how many bytes of the file the log has.
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
