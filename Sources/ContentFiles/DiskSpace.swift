import Glibc

/// The space of a file system.
package struct DiskSpace: Sendable, Hashable {
    /// The bytes that this process may still write.
    package var free: Int
    /// The size of the file system.
    package var total: Int
    /// The number of free inodes; nil when there is no limit.
    package var freeFiles: Int?

    package init(free: Int, total: Int, freeFiles: Int? = nil) {
        self.free = free
        self.total = total
        self.freeFiles = freeFiles
    }

    /// The space of the file system with `path`; nil when the system does not tell.
    package init?(of path: String) {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0 else { return nil }
        func bytes(_ blocks: fsblkcnt_t) -> Int {
            let (bytes, isOver) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
            return isOver ? .max : Int(clamping: bytes)
        }
        free = bytes(facts.f_bavail)
        total = bytes(facts.f_blocks)
        freeFiles = facts.f_files == 0 ? nil : Int(clamping: facts.f_favail)
    }

    /// Whether two paths are on one file system; false when one of them does not exist.
    package static func isShared(by path: String, _ other: String) -> Bool {
        var (facts, others) = (stat(), stat())
        return unsafe stat(path, &facts) == 0 && stat(other, &others) == 0 && facts.st_dev == others.st_dev
    }
}
