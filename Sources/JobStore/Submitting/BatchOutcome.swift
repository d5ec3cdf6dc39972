package import JobKit

/// The outcome of a submission of several jobs.
package enum BatchOutcome: Sendable {
    /// The outcome of each job, in order.
    case items([Result<SubmitOutcome, JobStoreError>])
    /// The first job's key belongs to another request, which created the job with this id. Nothing was stored.
    case keyReused(JobID)
}
