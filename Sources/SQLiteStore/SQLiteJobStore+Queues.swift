import JobKit
import JobStore

/// Queues with their limits.
extension SQLiteJobStore {
    func look<Look: QueueLook>(_ look: Look, reply: @escaping StoreReply<Look.Answer>) {
        write(reply) { session throws(SQLiteFailure) in .success(try look.answer(by: session)) }
    }

    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {
        board.openingObserver = observer
    }
}

extension WriterSession: QueueView {
    func gate(of queue: String?, now: Timestamp) -> QueueGate { lines.gate }

    func standing(of id: JobID, now: Timestamp) throws(SQLiteFailure) -> QueuedJob? {
        try lines.standing(of: try job(id), now: now)
    }
}
