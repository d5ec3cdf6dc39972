import Glibc

/// Files that only their owner may read, from their first moment on.
enum PrivateFile {
    /// Makes a file that does not exist yet, with mode 0600, and brings it to the disk; false when that cannot be done.
    static func create(_ path: String, _ content: [UInt8]) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let written = unsafe write(file, content, content.count)
        let isDone = written == content.count && fsync(file) == 0
        return close(file) == 0 && isDone
    }
}
