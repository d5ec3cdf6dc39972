package import JobKit

/// Changes the course of jobs from outside their runs: cancellation requests, retries, posts and wake-ups.
package protocol ControlStore: Sendable {
    /// Requests the cancellation of a job. One that is not in flight becomes `cancelled` at once with `detail` and
    /// `journal` of the request; a `running` one becomes `cancelling`; `cancelling` and final jobs stay as they are.
    /// - Throws (in the reply): `.notFound`.
    func cancel(
        _ request: CancelRequest, reply: @escaping @Sendable (Result<CancelOutcome, JobStoreError>) -> Void)

    /// Puts a `failed`, `cancelled` or `expired` job back to `queued` with the journal entry given, and removes its
    /// result, `detail`, `finishedAt`, `purgeAt` and `expiresAt`. The reply is the record after it.
    /// - Throws (in the reply): `.notFound`; `.wrongState(current)` for any other state.
    func retry(
        _ id: JobID, journal: JournalEntry,
        reply: @escaping @Sendable (Result<JobRecord, JobStoreError>) -> Void)

    /// Adds a post to the journal of a job that is not final, and applies its effect to the job. The reply tells the
    /// number of the post and whether a run has to be told; otherwise the next run finds it in the journal.
    /// - Throws (in the reply): `.notFound`; `.wrongState(current)` when the job is final, and for a hold or release
    ///   of a `cancelling` one; `.revisionConflict(current)`; `.mailboxFull` beyond `StoreLimits.postsMax`.
    func post(_ post: JobPost, reply: @escaping @Sendable (Result<PostReceipt, JobStoreError>) -> Void)

    /// Makes suspended jobs claimable at once. A job in flight is looked at again when it is suspended; others stay as
    /// they are. The reply is how many became `queued`.
    func wake(_ ids: [JobID], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Wakes all jobs that were suspended with this key among their `wakeKeys`.
    func wake(key: String, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)
}
