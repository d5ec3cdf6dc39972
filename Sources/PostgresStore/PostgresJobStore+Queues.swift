import JobKit
import JobStore

/// Queues with their limits.
extension PostgresJobStore {
    func look<Look: QueueLook>(_ look: Look, reply: @escaping StoreReply<Look.Answer>) {
        self.look(reply) { session throws(PostgresFailure) in try look.answer(by: session) }
    }

    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {
        board.observeOpenings(observer)
    }
}
