import JobKit
import JobStore

/// The servers that share the store.
extension PostgresJobStore {
    func perform<Write: SharedWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>) {
        self.write(reply, needs: write.needs, rows: write.rows) { unit throws(PostgresFailure) in
            try write.apply(in: unit)
        }
    }

    func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void) {
        board.observeMessages(observer)
    }
}
