package import ContentFiles
import CSystemSQLite
import Glibc

/// Facts about a data directory from the system.
package struct DirectoryFacts: Sendable, Hashable {
    /// The permissions, such as 0o700.
    package var mode: Int
    /// Whether the directory belongs to the user of this process.
    package var isOwn: Bool
    /// Whether this process may write to it.
    package var isWritable: Bool
    /// The type of the file system, such as `ext4` or `nfs`; `0x…` when its name is unknown.
    package var fileSystem: String
    /// The space of the file system.
    package var space: DiskSpace
    /// The size of the write-ahead log.
    package var logBytes: Int
    /// The size of the database; nil when there is none.
    package var databaseBytes: Int?

    /// Reads the facts about `path`; nil when it is not a directory.
    package init?(_ path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
        mode = Int(facts.st_mode & 0o777)
        isOwn = facts.st_uid == geteuid()
        isWritable = unsafe access(path, W_OK) == 0
        guard let space = DiskSpace(of: path) else { return nil }
        let number = unsafe csqlite_file_system(path)
        fileSystem = Self.names[number] ?? "0x" + String(number, radix: 16)
        self.space = space
        logBytes = ArtifactDirectory.byteCount(path + "/jobs.db-wal") ?? 0
        databaseBytes = ArtifactDirectory.byteCount(path + "/jobs.db")
    }

    private static let names: [UInt32: String] = [
        0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x2FC1_2FC1: "zfs", 0xF2F5_2010: "f2fs",
        0x0102_1994: "tmpfs", 0x8584_58F6: "ramfs", 0x794C_7630: "overlay", 0x6969: "nfs",
        0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x517B: "smb", 0x6573_5546: "fuse", 0x0102_1997: "9p",
        0x00C3_6400: "ceph", 0x4D44: "vfat", 0x2011_BAB0: "exfat",
    ]

    /// The number of small durable writes per second, measured for `milliseconds`; nil when one fails.
    package static func syncRate(in path: String, milliseconds: Int) -> Double? {
        let file = "\(path)/doctor.\(getpid())"
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            _ = unsafe unlink(file)
        }
        let page = [UInt8](repeating: 0x2A, count: 4_096)
        let start = ContinuousClock.now
        var count = 0
        while start.duration(to: .now) < .milliseconds(milliseconds) {
            let place = off_t(count % 256 * page.count)
            guard unsafe pwrite(descriptor, page, page.count, place) == page.count, fdatasync(descriptor) == 0
            else {
                return nil
            }
            count += 1
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        return Double(count) / seconds
    }

    /// The version of SQLite, such as `3.40.1`, and as a number, such as 3_040_001.
    package static var sqliteVersion: (text: String, number: Int) {
        (unsafe String(cString: sqlite3_libversion()), Int(sqlite3_libversion_number()))
    }
}
