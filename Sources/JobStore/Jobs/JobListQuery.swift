package import JobKit
package import JobSpec

/// A query for a page of jobs, ordered by creation or by end, newest or oldest first. All filters must match; empty
/// ones match everything.
package struct JobListQuery: Sendable, Hashable {
    /// Matches jobs of this tenant.
    package var tenant: Tenant?
    /// Matches any of these states.
    package var states: Set<JobState> = []
    /// Matches the type of the root operation.
    package var type: String?
    package var queue: String?
    /// Matches the name of the root operation.
    package var name: String?
    /// Matches names of root operations that begin with this.
    package var namePrefix: String?
    /// Matches ids in this range.
    package var ids: ClosedRange<JobID>?
    /// Matches the key within the queue.
    package var queueKey: String?
    /// Matches ended jobs whose first error has this code.
    package var errorCode: String?
    /// Matches jobs that wait for something of this kind.
    package var waitKind: WaitKinds?
    /// Matches jobs of which one of these origins holds a call back; empty matches all jobs.
    package var origins: [String] = []
    /// Matches jobs with all of these labels.
    package var labels: [JobSpec.Label] = []
    /// Matches jobs created at or after this time.
    package var createdFrom: Timestamp?
    /// Matches jobs created before this time.
    package var createdBefore: Timestamp?
    /// Matches jobs that ended at or after this time. Requires `isByFinish`, as does the next.
    package var finishedFrom: Timestamp?
    /// Matches jobs that ended before this time.
    package var finishedBefore: Timestamp?
    /// Whether only ended jobs are listed, ordered by their end.
    package var isByFinish = false
    /// Whether the oldest come first.
    package var ascending = false
    /// Begins after this id.
    package var after: JobID?
    /// The end of the job `after`; only with `isByFinish`.
    package var afterFinish: Timestamp?
    /// The page size, 1…500.
    package var limit = 50
    /// The size of details and metadata at which the page ends before it has `limit` jobs, in bytes.
    package var bytesMax = Int.max

    /// Creates a query for all jobs, newest first.
    package init() {}
}
