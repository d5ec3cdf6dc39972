package import JobKit

/// The outcome of a submission.
package enum SubmitOutcome: Sendable {
    /// A job was created.
    case created(JobRecord)
    /// A job was created that replaces others. The runs of those in flight must be stopped.
    case replacing(JobRecord, stopping: [RunRequest])
    /// No job was created, since this one holds the same unique key.
    case joined(JobRecord)
    /// The same request created this job before.
    case replayed(JobRecord)
    /// The same request created the job with this id before, which was erased meanwhile. No job was created.
    case replayedGone(JobID)
    /// The key belongs to another request, which created the job with this id.
    case keyReused(JobID)
}
