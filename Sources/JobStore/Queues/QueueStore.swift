package import JobKit

/// Queues with their limits. Their configurations are settings (`SettingKind.queue`).
package protocol QueueStore: Sendable {
    /// The state of each queue that has a configuration, or had one and still has jobs in its line.
    func queues(now: Timestamp, reply: @escaping @Sendable (Result<[QueueStanding], JobStoreError>) -> Void)

    /// Up to `limit` keys of such a queue, those with the most jobs first.
    func busiestKeys(
        of queue: String, limit: Int, now: Timestamp,
        reply: @escaping @Sendable (Result<[QueueKeyStanding], JobStoreError>) -> Void)

    /// The standing of a job in the line of its queue; nil when it waits in none.
    func queued(
        _ id: JobID, now: Timestamp,
        reply: @escaping @Sendable (Result<QueuedJob?, JobStoreError>) -> Void)

    /// Calls `observer` after each commit that leaves jobs in lines, with the time from which one of them may begin:
    /// when that depends on time alone. On a thread of the store; must not block.
    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void)
}
