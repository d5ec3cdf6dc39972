import Glibc

/// The facts about a file that tell whether it was changed or replaced.
package struct FileFacts: Sendable, Hashable {
    /// The permissions, such as 0o600.
    package let mode: Int
    private let device: UInt64
    private let number: UInt64
    private let byteCount: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Reads the facts about what a path leads to, through links; nil when nothing is there.
    package init?(_ path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        mode = Int(facts.st_mode & 0o7777)
        device = UInt64(facts.st_dev)
        number = UInt64(facts.st_ino)
        byteCount = Int(facts.st_size)
        seconds = Int(facts.st_mtim.tv_sec)
        nanoseconds = Int(facts.st_mtim.tv_nsec)
    }
}
