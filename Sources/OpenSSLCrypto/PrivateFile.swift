import Glibc

/// Files that are readable by their owner only, from their creation on.
package enum PrivateFile {
    /// Creates a file with mode 0600 and syncs it to disk; false when that fails or the file exists.
    package static func create(_ path: String, _ content: [UInt8]) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let written = unsafe write(file, content, content.count)
        let isDone = written == content.count && fsync(file) == 0
        return close(file) == 0 && isDone
    }
}
