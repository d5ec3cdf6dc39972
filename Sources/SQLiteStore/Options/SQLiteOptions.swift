package import ContentFiles
package import JobStore

/// The options of the SQLite engine.
package struct SQLiteOptions: Sendable {
    /// The durability of writes.
    package enum Sync: Sendable {
        /// On disk: survives a power failure.
        case full
        /// In the page cache: survives a crash of the process, not a power failure.
        case normal
    }

    /// The durability of writes. Default `full`.
    package var sync = Sync.full
    package var limits = StoreLimits()
    /// The maximum number of commands in one transaction. Default 4,096.
    package var groupMax = 4_096
    /// The page cache of the write connection, in KiB. Default 6 MiB.
    package var writerCacheKibibytes = 6_144
    /// The page cache of each reader, in KiB. Default 4 MiB.
    package var readerCacheKibibytes = 4_096
    /// The page of a new database, in bytes; one that exists keeps its own. A commit writes each page that it changed
    /// to the log, with a checksum over all of it: about seven for a job that comes alone and eight when it ends, of
    /// which little has changed. So pages are half as long as SQLite's own default.
    package var pageBytes = 2_048
    /// The length of the write-ahead log, in bytes, at which it is checkpointed. All writes wait meanwhile, about 3 ms
    /// for the default, 5 MB, and proportionally longer for more: the share that has to be moved stays the same. In a
    /// longer log each frame costs more, since SQLite passes all earlier frames of the same page in its index.
    package var checkpointBytes = 5_120_000
    /// The size to which an empty write-ahead log is truncated. Default 64 MiB.
    package var logBytesMax = 64 << 20
    /// The time for which erased content may stay in the write-ahead log of an idle store; that of a busy one is
    /// emptied after at most ten times as long. Default 1 s.
    package var wipeMilliseconds = 1_000
    /// The maximum number of pages of the database; nil means no limit. For tests of a full disk.
    package var pagesMax: Int?
    /// SQLite's VFS. With `unix-excl` the file belongs to this process alone: locks among its connections are counters
    /// in memory instead of several system calls for each read and each commit. For tests of a failing disk.
    package var fileAccess = "unix-excl"
    /// The wait after a failure of the file until the next try; later tries wait up to ten times as long. Default 100
    /// ms.
    package var retryMilliseconds = 100

    /// The space that content and new jobs leave free.
    package var reserve = DiskReserve()

    /// Content files in the directory `artifacts` beside the database; nil keeps none.
    package var artifacts: ArtifactOptions?

    package init() {}
}
