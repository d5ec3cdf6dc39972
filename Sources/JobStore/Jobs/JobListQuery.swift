package import JobKit
package import JobSpec
internal import StrictJSON

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
    /// Matches jobs that ended without success by the call of their first error.
    package var call = CallFilter()
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

    /// A filter by the call that failed a job.
    package struct CallFilter: Sendable, Hashable {
        /// Matches the host, see `JobDetail.Call.host`; empty matches jobs that no call failed.
        package var host: String?
        package var method: String?
        /// Matches URLs that begin with this. Their host is `host`, too.
        package var urlPrefix: String?
        package var status: Int?

        package init() {}

        package var isEmpty: Bool { host == nil && method == nil && urlPrefix == nil && status == nil }

        /// Whether a job with these facts passes.
        package func shows(_ facts: CallFacts?) -> Bool {
            if isEmpty { return true }
            guard let facts else { return false }
            return (host.map { $0.hasSameBytes(as: facts.host) } ?? true)
                && (method.map { $0.hasSameBytes(as: facts.method) } ?? true)
                && (urlPrefix.map { facts.url.utf8.starts(with: $0.utf8) } ?? true)
                && (status.map { $0 == facts.status } ?? true)
        }
    }
}

/// The facts about the call that failed a job, by which lists filter; empty ones when no call did.
package struct CallFacts: Sendable, Hashable {
    package var host = ""
    package var method = ""
    package var url = ""
    package var status: Int?

    package init() {}
}

extension JobRecord {
    /// The call that failed the job; nil for a job that has not ended, or that succeeded.
    package var failedCall: CallFacts? {
        guard self.state.isFinal, self.state != .succeeded else { return nil }
        let detail = self.detail.values
        var facts = CallFacts()
        guard let error = detail.errors.first else { return nil }
        facts.status = error.upstream?.status
        guard let call = detail.call else { return facts }
        (facts.host, facts.method, facts.url) = (call.host ?? "", call.method, call.url)
        return facts
    }
}
