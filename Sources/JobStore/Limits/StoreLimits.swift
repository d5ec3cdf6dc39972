/// Limits of the store.
package struct StoreLimits: Sendable {
    /// The maximum number of unfinished jobs; further submissions are refused. Default 1,000,000.
    package var unfinishedJobsMax = 1_000_000
    /// The maximum number of template versions. Default 10,000.
    package var templatesMax = 10_000
    /// The maximum number of secrets, and of connections. Default 1,000.
    package var settingsMax = 1_000
    /// The maximum number of schedules. Default 1,000.
    package var schedulesMax = 1_000
    /// The maximum number of running bulk actions. Default 100.
    package var bulksMax = 100
    /// The maximum number of uploads. Default 100,000.
    package var uploadsMax = 100_000
    /// The maximum number of cached validators; the latest are kept. Default 10,000.
    package var validatorsMax = 10_000
    /// The maximum number of posts to one job. Default 10,000.
    package var postsMax: Int64 = 10_000
    /// The maximum size of the signals of one job that no operation has taken, and of its added members, in bytes of
    /// JSON: each run of the job reads and keeps them. Default 16 MiB.
    package var untakenBytesMax = 16 << 20
    /// The maximum number of grants. Default 10,000.
    package var grantsMax = 10_000

    package init() {}
}

/// Clamps the limits that callers ask for.
package enum StoreRange {
    /// A limit of jobs, entries or maintenance items per call.
    package static func batch(_ limit: Int) -> Int { min(max(limit, 1), 10_000) }

    /// A page size.
    package static func page(_ limit: Int) -> Int { min(max(limit, 1), pageMax) }

    /// The maximum page size.
    package static let pageMax = 500

    /// The maximum number of jobs that one claim moves into the lines of their queues.
    package static let movedMax = 2_000
}
