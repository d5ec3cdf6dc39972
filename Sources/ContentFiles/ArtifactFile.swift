import Glibc
package import JobKit
import JobStore

/// An open file.
// Safe because the descriptor is private and closed once, in `deinit`.
package final class ArtifactFile: Sendable {
    private static let pieceBytes = 1 << 20
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    package static func reading(_ path: String) throws(ArtifactFailure) -> ArtifactFile {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            let code = errno
            throw failure("cannot be opened", path, code)
        }
        return ArtifactFile(descriptor: descriptor)
    }

    /// Opens a file for appending, and creates it with mode 0600 when missing.
    package static func writing(_ path: String) throws(ArtifactFailure) -> ArtifactFile {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw failure("cannot be made", path, code)
        }
        return ArtifactFile(descriptor: descriptor)
    }

    package var byteCount: Int {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
    }

    package func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) {
        var start = 0
        while start < bytes.count {
            let rest = bytes.extracting(start..<bytes.count)
            let written = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                let code = errno
                if code == EINTR { continue }
                throw Self.failure("cannot be written", nil, code)
            }
            start += written
        }
    }

    /// Reads from `offset` into the start of `bytes`. Returns the number of bytes read, 0 at the end.
    package func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(ArtifactFailure) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count >= 0 { return count }
            let code = errno
            if code != EINTR { throw Self.failure("cannot be read", nil, code) }
        }
    }

    /// Adds the file's first `bytes` to a digest.
    /// - Parameter goesOn: called before each MiB; false stops.
    /// - Throws: `.unavailable` when the file cannot be read or is shorter, or after a stop.
    package func add(
        _ bytes: Int, to digest: any RunningDigest, goesOn: () -> Bool = { true }
    ) throws(ArtifactFailure) {
        guard bytes > 0 else { return }
        var piece = [UInt8](repeating: 0, count: min(Self.pieceBytes, bytes))
        var offset = 0
        while offset < bytes {
            guard goesOn() else { throw ArtifactFailure(.unavailable, "Reading the content was ended.") }
            let room = min(piece.count, bytes - offset)
            var space = piece.mutableSpan
            var part = space._mutatingExtracting(0..<room)
            let count = try read(at: offset, into: &part)
            guard count > 0 else {
                throw ArtifactFailure(.unavailable, "The content became shorter while it was read.")
            }
            digest.update(piece.span.extracting(0..<count))
            offset += count
        }
    }

    /// Truncates the file to `bytes`.
    package func cut(to bytes: Int) throws(ArtifactFailure) {
        guard ftruncate(descriptor, off_t(bytes)) == 0 else {
            let code = errno
            throw Self.failure("cannot be cut", nil, code)
        }
    }

    /// Writes a part of the file to the disk, without the metadata of the file. `sync` reports failures.
    func writeBack(_ part: Range<Int>) {
        // SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE and _WAIT_AFTER
        _ = Self.syncRange?(descriptor, Int64(part.lowerBound), Int64(part.count), 1 | 2 | 4)
    }

    private typealias SyncRange = @convention(c) (Int32, Int64, Int64, UInt32) -> Int32

    /// sync_file_range(2), which is declared for GNU programs only; nil where the system has none.
    private static let syncRange: SyncRange? = unsafe dlsym(nil, "sync_file_range").map {
        unsafe unsafeBitCast($0, to: SyncRange.self)
    }

    /// Returns when all writes are on disk.
    package func sync() throws(ArtifactFailure) {
        guard fsync(descriptor) == 0 else {
            let code = errno
            throw Self.failure("cannot be made durable", nil, code)
        }
    }

    /// Advises the system that the file will be read sequentially.
    package func expectReading() { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) }

    package static func failure(_ what: String, _ path: String?, _ code: Int32) -> ArtifactFailure {
        let reason = unsafe String(cString: strerror(code))
        let place = path.map { " \($0)" } ?? ""
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            return ArtifactFailure(
                .full,
                "No space is left for the content (\(reason)). Free some space in the data directory, then try again."
            )
        case ENOENT:
            return ArtifactFailure(
                .missing, "The stored content\(place) no longer exists. Fetch or upload it again.")
        default:
            return ArtifactFailure(
                .unavailable,
                "The file\(place) \(what) (\(reason)). Check the disk and the rights to the data directory."
            )
        }
    }
}
