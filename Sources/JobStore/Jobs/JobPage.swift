package import JobKit

/// One page of jobs.
package struct JobPage: Sendable {
    /// The jobs. Fewer than `JobListQuery.limit` do not mean that there are no more.
    package var jobs: [JobRecord]
    /// Behind which job the next page begins; nil when there are no more.
    package var next: Place?

    /// A page.
    package init(jobs: [JobRecord], next: Place?) {
        self.jobs = jobs
        self.next = next
    }

    /// A place in a list.
    package struct Place: Sendable, Hashable {
        /// The last job that was looked at.
        package var id: JobID
        /// When it ended, in a list in the order of ends.
        package var finishedAt: Timestamp?

        /// A place.
        package init(id: JobID, finishedAt: Timestamp?) {
            self.id = id
            self.finishedAt = finishedAt
        }
    }

    /// Whether there may be more.
    package var hasMore: Bool { next != nil }
}
