package import JobKit

/// Queues with their limits. Their configurations are settings (`SettingKind.queue`).
package protocol QueueStore: Sendable {
    /// Answers a question about their lines.
    func look<Look: QueueLook>(_ look: Look, reply: @escaping StoreReply<Look.Answer>)

    /// Calls `observer` after each commit that leaves jobs in lines, with the time from which one of them may begin:
    /// when that depends on time alone. On a thread of the store; must not block.
    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void)
}
