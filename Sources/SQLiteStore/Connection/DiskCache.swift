import Glibc

/// The system's cache of a file.
enum DiskCache {
    /// Lets the system forget what it keeps of a file and believes to be on the disk, so that the next read asks the
    /// disk. Not for a file on which this process holds record locks: closing any descriptor of it gives them up.
    static func forget(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
    }
}
