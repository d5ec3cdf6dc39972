import Glibc

/// The lock of a file, which one process at a time has. The system releases it when the process ends, however it ends.
// Safe because the descriptor is private and closed once, in `deinit`.
package final class FileLock: Sendable {
    /// The reason why there is no lock.
    package enum Failure: Error, Sendable, Hashable {
        /// The file cannot be opened, or has no locks; the text is the system's reason.
        case unusable(String)
        /// Another process had it all the time.
        case taken
    }

    private static let microsecondsBetween: UInt32 = 10_000

    private let descriptor: Int32

    /// Creates the file with mode 0600 when missing, and waits for its lock, at most `patience`.
    /// - Throws: `.unusable`, or `.taken` when the time is over.
    package init(_ path: String, patience: Duration) throws(Failure) {
        let end = ContinuousClock.now + patience
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.unusable(errno) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            let isTaken = code == EAGAIN || code == EINTR
            guard isTaken, ContinuousClock.now < end else {
                close(descriptor)
                throw isTaken ? Failure.taken : Self.unusable(code)
            }
            usleep(Self.microsecondsBetween)
        }
        self.descriptor = descriptor
    }

    package func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }

    private static func unusable(_ code: Int32) -> Failure {
        let reason = unsafe String(cString: strerror(code))
        return .unusable(reason)
    }
}
