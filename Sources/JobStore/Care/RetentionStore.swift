package import JobKit

/// Enforces the retention of jobs.
package protocol RetentionStore: Sendable {
    /// Erases a final job with all its data except its idempotency key, which lasts until its own expiry.
    /// - Throws (in the reply): `.notFound`; `.wrongState(current)` when it is not final.
    func erase(_ id: JobID, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Performs up to `limit` (1…10,000) items of maintenance: erases final jobs whose `purgeAt` has passed and whose
    /// callbacks are stored, erases expired idempotency keys, and ends jobs past `expiresAt` that never started, with
    /// the detail and journal entry from `expire`: as `failed` when that time is their `NewJob.deadline`, otherwise as
    /// `expired`; `expire` receives that state. The reply is the number of items done; fewer than `limit` means that
    /// none are left.
    func sweep(
        now: Timestamp, limit: Int, expire: @escaping @Sendable (JobRecord, JobState) -> ExpiredJob,
        reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)
}
