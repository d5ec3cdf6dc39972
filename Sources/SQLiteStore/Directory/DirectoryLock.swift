import Glibc
package import JobStore

/// The right to use a data directory, held as a lock on its file `lock`, which the system releases when the process
/// ends, however it ends.
// Safe because the descriptor is private and closed once, in `deinit`.
package final class DirectoryLock: Sendable {
    private let descriptor: Int32
    private let isGuest: Bool
    /// Whether the last server ended without closing its store.
    let wasLeftOpen: Bool

    /// Records an orderly close, and unlocks the directory.
    package func release() {
        if !isGuest { _ = ftruncate(descriptor, 0) }
        flock(descriptor, LOCK_UN)
    }

    /// Creates the directory with mode 0700 when missing, and locks it.
    /// - Parameter isGuest: for a process that only reads and leaves no trace.
    /// - Throws: `.unavailable` when it cannot be created, or another process has locked it.
    package init(directory: String, isGuest: Bool = false) throws(JobStoreError) {
        self.isGuest = isGuest
        if !isGuest, unsafe mkdir(directory, 0o700) != 0 && errno != EEXIST {
            throw Self.unusable(directory, "cannot be made")
        }
        let path = directory + "/lock"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.unusable(directory, "cannot be written to") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.holder(descriptor)
            close(descriptor)
            var error = JobStoreError(
                .unavailable,
                "The data directory \(directory) is in use by another server\(holder). "
                    + "Stop that one first, or start this one with another data directory.")
            error.isInUse = true
            throw error
        }
        wasLeftOpen = !Self.holder(descriptor).isEmpty
        if isGuest { return }
        _ = ftruncate(descriptor, 0)
        let text = Array("\(getpid())\n".utf8)
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }

    deinit { close(descriptor) }

    /// The process id that the holder of the lock has written.
    static func holder(of directory: String) -> Int? {
        let descriptor = unsafe open(directory + "/lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return Int(holder(descriptor).filter(\.isNumber))
    }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let digits = bytes.prefix(max(0, count)).prefix { $0 >= 0x30 && $0 <= 0x39 }
        return digits.isEmpty ? "" : " (process \(String(decoding: digits, as: UTF8.self)))"
    }

    private static func unusable(_ directory: String, _ what: String) -> JobStoreError {
        let reason = unsafe String(cString: strerror(errno))
        return JobStoreError(
            .unavailable,
            "The data directory \(directory) \(what) (\(reason)). "
                + "Make it yourself and give this user the right to write there, or choose another one.")
    }
}
