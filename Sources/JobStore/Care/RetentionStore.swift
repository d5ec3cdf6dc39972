package import JobKit

/// Enforces the retention of jobs.
package protocol RetentionStore: Sendable {
    /// Does up to `limit` (1…10,000) pieces of upkeep: erases final jobs whose `purgeAt` is past and whose callbacks
    /// are stored, and idempotency keys whose time is over, and ends jobs past `expiresAt` that were never started,
    /// with the error that `expire` makes: as `failed` when that is their `NewJob.deadline`,
    /// otherwise as `expired`, which `expire` is told. The reply says how many pieces were done; fewer than `limit`
    /// means all.
    func sweep(
        now: Timestamp, limit: Int, expire: @escaping @Sendable (JobRecord, JobState) -> AOperationError,
        reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)
}
