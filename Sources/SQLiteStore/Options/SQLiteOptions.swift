package import JobStore

/// The options of the SQLite engine.
package struct SQLiteOptions: Sendable {
    /// When a write counts as durable.
    package enum Sync: Sendable {
        /// When it is on the disk: it survives a power cut.
        case full
        /// When the system has it: it survives the end of the process, not a power cut.
        case normal
    }

    /// When a write counts as durable. Default `full`.
    package var sync = Sync.full
    /// Limits of the store.
    package var limits = StoreLimits()
    /// Commands that one transaction takes at most. Default 4,096.
    package var groupMax = 4_096
    /// Memory for pages of the write connection, in KiB. Default 6 MiB.
    package var writerCacheKibibytes = 6_144
    /// Memory for pages of each reader, in KiB. Default 4 MiB.
    package var readerCacheKibibytes = 4_096
    /// From this many pages in the write-ahead log on, they are moved into the database. All writes wait meanwhile,
    /// some 5 ms for as many as the default, 2,500 (10 MiB), and proportionally longer for more: the share that has to
    /// be moved stays the same.
    package var checkpointPages = 2_500
    /// The write-ahead log is cut to this size when it is empty. Default 64 MiB.
    package var logBytesMax = 64 << 20
    /// Pages that the database may have; nil is as many as the disk holds. For tests of a full disk.
    package var pagesMax: Int?
    /// SQLite's layer below. With `unix-excl` the file belongs to this process alone: locks among its connections then
    /// are counters in memory instead of several system calls for each read and each commit. For tests of a disk that
    /// fails.
    package var fileAccess = "unix-excl"
    /// The wait after trouble with the file until it is tried again; later attempts wait up to ten times as
    /// long. Default 100 ms.
    package var retryMilliseconds = 100

    /// Content in files, in the directory `artifacts` beside the database; nil keeps none.
    package var artifacts: ArtifactOptions?

    /// The defaults.
    package init() {}
}
