package import JobKit

/// One page of a list of jobs.
package struct JobPage: Sendable {
    /// The jobs. Fewer than `JobListQuery.limit` does not mean that there are no more.
    package var jobs: [JobRecord]
    /// The position after which the next page begins; nil when there are no more.
    package var next: Place?

    package init(jobs: [JobRecord], next: Place?) {
        self.jobs = jobs
        self.next = next
    }

    /// A position in a list.
    package struct Place: Sendable, Hashable {
        /// The last job examined.
        package var id: JobID
        /// The end of that job, in a list ordered by end.
        package var finishedAt: Timestamp?

        package init(id: JobID, finishedAt: Timestamp?) {
            self.id = id
            self.finishedAt = finishedAt
        }
    }

    /// Whether there may be more.
    package var hasMore: Bool { next != nil }
}

extension JobListQuery {
    /// The position of a job in the list.
    package func place(of job: JobRecord) -> JobPage.Place {
        JobPage.Place(id: job.id, finishedAt: isByFinish ? job.finishedAt : nil)
    }
}

extension JobRecord {
    /// The size of those of its parts that users and upstreams make large, in bytes.
    package var shownBytes: Int { self.detail.sizeEstimate + self.metadata.count }
}

/// A part of the ids that a list has.
package struct JobIDPage: Sendable {
    package var ids: [JobID]
    /// The position after which the next part begins; nil when there are no more.
    package var next: JobPage.Place?

    package init(ids: [JobID], next: JobPage.Place?) {
        self.ids = ids
        self.next = next
    }
}
