package import JobKit
package import JobSpec

/// One job that a commit changed.
package struct JobChange: Sendable {
    package var id: JobID
    /// The name of the root operation; this and the next are what lists filter by, too.
    package var name: String
    package var type: String
    package var queue: String
    package var labels: [JobSpec.Label]
    package var key: String?
    /// The code of the first error, when it is final without success.
    package var endCode: String?
    /// The call that failed it, when it is final without success.
    package var failedCall: CallFacts?
    package var waitKinds: WaitKinds = []
    package var awaitedOrigins: [String] = []
    /// The new state; nil when the job was erased.
    package var state: JobState?
    package var revision: Int64
    /// The due date, in `scheduled`, `waiting` and `retrying`.
    package var dueAt: Timestamp?
    /// Whether only journal entries were added: state and revision are as before.
    package var hasOnlyEntries = false
    /// Whether observers were told of a higher revision before, since another server wrote this one.
    package var isOutdated = false
    /// Whether the job is now final and has callbacks for this end.
    package var hasCallbacks = false
    /// The job when it is now final, so that waiters need not read it.
    package var ended: EndedJob?

    package init(
        id: JobID, state: JobState?, revision: Int64, dueAt: Timestamp? = nil, name: String = "",
        queue: String = ""
    ) {
        self.id = id
        self.name = name
        type = ""
        self.queue = queue
        labels = []
        self.state = state
        self.revision = revision
        self.dueAt = dueAt
    }

    /// The change after which a job is as `record` says.
    package init(_ record: JobRecord) {
        id = record.id
        name = record.name
        type = record.type
        queue = record.queue
        labels = record.labels
        key = record.queueKey
        endCode = record.endCode?.description
        if endCode != nil { failedCall = record.failedCall }
        if !record.state.isFinal {
            waitKinds = record.waitKinds
            awaitedOrigins = record.awaitedOrigins
        }
        state = record.state
        revision = record.revision
        dueAt = record.dueAt
    }

    /// The erasure of a job.
    package static func erasure(of record: JobRecord) -> JobChange {
        var change = JobChange(record)
        change.state = nil
        change.dueAt = nil
        return change
    }

    /// Entries that were added to the journal of a job.
    package static func entries(of record: JobRecord) -> JobChange {
        var change = JobChange(record)
        change.hasOnlyEntries = true
        return change
    }
}

/// Reports which jobs changed.
package protocol CommitFeed: Sendable {
    /// Calls `observer` after each commit, on a thread of the store, with the jobs that the commit changed in state or
    /// revision, or to whose journal it added, in order; what comes late of another server is marked as outdated. It
    /// must return quickly; it may start further writes. There is one observer; setting another replaces it.
    /// - Parameter expecting: called with the same changes before a reader can see them, where this process alone
    ///   changes the store. When the commit then fails, `observer` is not called.
    func observeCommits(
        expecting: @escaping @Sendable ([JobChange]) -> Void,
        _ observer: @escaping @Sendable ([JobChange]) -> Void)

    /// The number of jobs in each state; states without jobs may be missing. Cheap: maintained, not counted.
    func counts() -> [JobState: Int]
}

extension CommitFeed {
    package func observeCommits(_ observer: @escaping @Sendable ([JobChange]) -> Void) {
        observeCommits(expecting: { _ in }, observer)
    }
}
