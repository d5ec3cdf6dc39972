internal import Glibc
internal import JobKit
internal import Synchronization

/// A temporary file beside the one that it may become. Pieces are written as they come, into the cache of the system.
final class FileDraft: DownloadDraft {
    private let path: String
    private let target: String
    private let state: Mutex<State>

    private struct State {
        /// Nil when the file is finished or discarded.
        var descriptor: CInt?
        var byteCount = 0
    }

    /// - Parameter target: the path of the file that this may become.
    init(beside target: String) throws(ArtifactFailure) {
        let path = "\(target).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure("The file \(target) cannot be made", errno) }
        self.path = path
        self.target = target
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { discard() }

    func append(_ bytes: Span<UInt8>) throws {
        let target = target
        let failure = state.withLock { state -> ArtifactFailure? in
            guard let descriptor = state.descriptor else {
                return ArtifactFailure(.unavailable, "The download to \(target) is over already.")
            }
            var start = 0
            while start < bytes.count {
                let rest = bytes.extracting(start..<bytes.count)
                let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 {
                    let code = errno
                    if code == EINTR { continue }
                    return Self.failure("The file \(target) cannot be written", code)
                }
                start += count
            }
            state.byteCount += start
            return nil
        }
        if let failure { throw failure }
    }

    /// Returns when the content is on disk.
    func finish() async throws -> DownloadedFile {
        let taken = state.withLock { state in
            defer { state.descriptor = nil }
            return state
        }
        guard let descriptor = taken.descriptor else {
            throw ArtifactFailure(.unavailable, "The download to \(target) is over already.")
        }
        let target = target
        do {
            try await BlockingWork.run { () throws(ArtifactFailure) in
                let code = fsync(descriptor) == 0 ? 0 : errno
                guard close(descriptor) == 0, code == 0 else {
                    throw Self.failure("The file \(target) cannot be written", code == 0 ? errno : code)
                }
            }
        } catch {
            Self.remove(path)
            throw error
        }
        return DownloadedFile(path: path, byteCount: taken.byteCount)
    }

    func discard() {
        let descriptor = state.withLock { state in
            defer { state.descriptor = nil }
            return state.descriptor
        }
        guard let descriptor else { return }
        close(descriptor)
        Self.remove(path)
    }

    static func move(_ path: String, to other: String) throws(ArtifactFailure) {
        guard unsafe rename(path, other) == 0 else {
            throw failure("The file \(other) cannot be replaced", errno)
        }
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    static func failure(toRead path: String, _ code: CInt) -> ArtifactFailure {
        let reason = unsafe String(cString: strerror(code))
        return ArtifactFailure(
            code == ENOENT ? .missing : .unavailable, "The file \(path) cannot be read: \(reason).")
    }

    private static func failure(_ what: String, _ code: CInt) -> ArtifactFailure {
        let reason = unsafe String(cString: strerror(code))
        return switch code {
        case ENOSPC, EDQUOT, EFBIG:
            ArtifactFailure(.full, "\(what): \(reason). Free some space, then try again.")
        case ENOENT: ArtifactFailure(.missing, "\(what): its folder does not exist. Make the folder first.")
        default:
            ArtifactFailure(.unavailable, "\(what): \(reason). Check the disk and the rights to its folder.")
        }
    }
}
