package import JobKit

/// The result of a bulk action for one job.
package struct BulkResult: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case done = "succeeded"
        /// The job's state, or its absence, leaves nothing to do.
        case skipped
        case failed
    }

    package var job: JobID
    package var outcome: Outcome
    /// The reason for an outcome other than `done`, as a dotted code.
    package var code: String?
    /// The same in words.
    package var detail: String?
    /// The new job that was made of it.
    package var made: JobID?

    package init(
        _ job: JobID, _ outcome: Outcome, code: String? = nil, detail: String? = nil, made: JobID? = nil
    ) {
        self.job = job
        self.outcome = outcome
        self.code = code
        self.detail = detail
        self.made = made
    }
}
