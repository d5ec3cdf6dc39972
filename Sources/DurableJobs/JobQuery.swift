public import JobKit
import JobSpec
import JobStore

/// Selects jobs for a list. All that is given must match; the default matches every job.
public struct JobQuery: Sendable, Hashable {
    /// Matches any of these states; empty matches all.
    public var states: Set<JobState> = []
    /// Matches the kind of the job's operation.
    public var type: String?
    /// Matches the name of the job's operation.
    public var name: String?
    /// Matches the queue.
    public var queue: String?
    /// Matches the key within the queue.
    public var queueKey: String?
    /// Matches jobs with all of these labels.
    public var labels = JobLabels()
    /// Whether the oldest come first. Default: the newest do.
    public var isOldestFirst = false
    /// The most jobs of one page, 1…500. Default 100.
    public var limit = 100
    /// Begins after this job, which the page before names in `next`.
    public var after: JobID?

    /// Selects all jobs.
    public init() {}

    /// Selects jobs by their state and kind.
    /// - Parameters:
    ///   - states: the states; empty selects all.
    ///   - type: the kind; nil selects all.
    public init(states: Set<JobState>, type: String? = nil) {
        self.states = states
        self.type = type
    }

    /// The query of the store.
    var stored: JobListQuery {
        var query = JobListQuery()
        query.states = states
        query.type = type
        query.name = name
        query.queue = queue
        query.queueKey = queueKey
        query.labels = labels.map { JobSpec.Label(key: $0.key, value: $0.value) }
        query.ascending = isOldestFirst
        query.limit = StoreRange.page(limit)
        query.after = after
        return query
    }
}

/// A page of a list of jobs.
public struct JobList: Sendable {
    /// The jobs; fewer than `limit` does not mean that there are no more.
    public let jobs: [JobStatus]
    /// The job after which the next page begins; nil when there are no more.
    public let next: JobID?
}
