import Glibc

/// The page cache of a file.
enum DiskCache {
    /// Drops the clean cached pages of a file, so that the next read comes from the disk. Not for a file on which this
    /// process holds record locks: closing any of its descriptors would release them.
    static func forget(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
    }
}
