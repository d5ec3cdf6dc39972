package import JobKit

package protocol SubmissionStore: Sendable {
    /// Stores a new job, or finds the one that the idempotency key created.
    ///
    /// Decided atomically: of two submissions with one key, one creates and the other finds. The key is removed after
    /// its expiry.
    /// - Throws (in the reply): `.queueFull` when `StoreLimits.unfinishedJobsMax` jobs are unfinished, `.duplicateID`
    ///   when a job has this id, `.writesFull`, `.diskFull`, `.unavailable`.
    func submit(_ job: NewJob, reply: @escaping StoreReply<SubmitOutcome>)

    /// Stores several new jobs in one transaction, each as `submit` does; the reply has the outcome of each. When the
    /// first job's key is known and belongs to another request, nothing is stored.
    /// - Parameters:
    ///   - isAtomic: whether all jobs are stored or none.
    ///   - isFollowed: whether their submitter sends further jobs at once and waits for all of them, so that it pays to
    ///     make them durable together.
    /// - Throws (in the reply): `.diskFull`, `.unavailable`; when atomic also `.queueFull` and `.duplicateID`.
    func submit(_ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool, reply: @escaping StoreReply<BatchOutcome>)
}

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

/// The outcome of a submission of several jobs.
package enum BatchOutcome: Sendable {
    /// The outcome of each job, in order.
    case items([Result<SubmitOutcome, JobStoreError>])
    /// The first job's key belongs to another request, which created the job with this id. Nothing was stored.
    case keyReused(JobID)
}
