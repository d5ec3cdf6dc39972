package import JobKit

/// The outcome of a submission.
package enum SubmitOutcome: Sendable {
    /// A job was created.
    case created(JobRecord)
    /// A job was created that replaces others. These are in flight and must be cancelled.
    case replacing(JobRecord, inFlight: [JobID])
    /// No job was created, since this one holds the same unique key.
    case joined(JobRecord)
    /// The same request created this job before.
    case replayed(JobRecord)
    /// The same request created the job with this id before, which was erased meanwhile. No job was created.
    case replayedGone(JobID)
    /// The key belongs to another request, which created the job with this id.
    case keyReused(JobID)
}
