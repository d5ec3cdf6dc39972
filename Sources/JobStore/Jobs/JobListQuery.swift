package import JobKit
package import JobSpec

/// Which jobs a page shows, in the order of creation or of their ends, the newest or the oldest first. All filters must
/// hold; empty ones do not filter.
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
    /// Ended at or after; counts with `isByFinish` alone, as the next.
    package var finishedFrom: Timestamp?
    /// Ended before.
    package var finishedBefore: Timestamp?
    /// Only jobs that have ended, in the order of their ends.
    package var isByFinish = false
    /// Oldest first instead of newest first.
    package var ascending = false
    /// Continue behind this id.
    package var after: JobID?
    /// When the job `after` ended; with `isByFinish` alone.
    package var afterFinish: Timestamp?
    /// The length of the page, 1…500.
    package var limit = 50

    /// Everything, newest first.
    package init() {}
}
