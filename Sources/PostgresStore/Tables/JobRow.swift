import JobKit
import JobStore

/// A job as it is stored, with what only this engine knows about it.
struct JobRow {
    var job: StoredJob
    /// The number of the last entry of its journal.
    var journalEnd: Int64
    /// The size of the spec of a job that has not ended.
    var specBytes = 0
    /// The spec, where it was read with the job.
    var spec: [UInt8]?
    /// The table that holds what changes about it; nil for one that is new.
    var place: StoredJob.Place?
    /// The version of its row in that table.
    var version: Version
    /// Whether the stored job waits in the line of its queue.
    var wasInLine: Bool
    /// Whether it waits in the line of its queue, or counts against the limits of its queue.
    var isLimited = false

    /// Rises with each change of a row.
    struct Version {
        var revision, posts, fence: Int64
        /// As it is stored: a request to a job in flight may add no more than an entry.
        var journalEnd: Int64
    }

    init(job: StoredJob, journalEnd: Int64, place: StoredJob.Place?) {
        self.job = job
        self.journalEnd = journalEnd
        self.place = place
        version = Self.version(of: job, journalEnd: journalEnd)
        wasInLine = job.isInLine
    }

    /// Notes that the row is stored as it is now.
    mutating func noteStored() {
        version = Self.version(of: job, journalEnd: journalEnd)
        wasInLine = job.isInLine
    }

    private static func version(of job: StoredJob, journalEnd: Int64) -> Version {
        Version(
            revision: job.record.revision, posts: job.posts, fence: job.record.fence, journalEnd: journalEnd)
    }
}

/// The end of a job with what comes with it.
struct EndRow {
    var job: StoredJob
    var journalEnd: Int64
    /// The whole journal, when it is stored with the end.
    var journal: [UInt8]?
    var result: OperationResult?
}
