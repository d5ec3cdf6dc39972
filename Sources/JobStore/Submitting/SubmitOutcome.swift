package import JobKit

/// The outcome of a submission.
package enum SubmitOutcome: Sendable {
    /// A job was made.
    case created(JobRecord)
    /// A job was made that takes the place of others. These are in flight and must be told to stop.
    case replacing(JobRecord, inFlight: [JobID])
    /// No job was made, since this one has the same unique key.
    case joined(JobRecord)
    /// The same request made this job before.
    case replayed(JobRecord)
    /// The same request made the job with this id before, which was erased meanwhile. No job was made.
    case replayedGone(JobID)
    /// The key belongs to another request, which made the job with this id.
    case keyReused(JobID)
}
