package import JobKit

/// Which jobs a page shows, newest first or oldest first. All filters must hold; empty ones do not filter.
package struct JobListQuery: Sendable, Hashable {
    /// One of these states.
    package var states: Set<JobState> = []
    /// This root type.
    package var type: String?
    /// This queue.
    package var queue: String?
    /// This root name.
    package var name: String?
    /// All of these labels.
    package var labels: [JobSpec.Label] = []
    /// Created at or after.
    package var createdFrom: Timestamp?
    /// Created before.
    package var createdBefore: Timestamp?
    /// Oldest first instead of newest first.
    package var ascending = false
    /// Continue behind this id.
    package var after: JobID?
    /// How many at most, 1…500.
    package var limit = 50

    /// Everything, newest first.
    package init() {}
}

/// One page of jobs.
package struct JobPage: Sendable {
    /// The jobs.
    package var jobs: [JobRecord]
    /// Whether there are more behind the last one.
    package var hasMore: Bool

    /// A page.
    package init(jobs: [JobRecord], hasMore: Bool) {
        self.jobs = jobs
        self.hasMore = hasMore
    }
}
