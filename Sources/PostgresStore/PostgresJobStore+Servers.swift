import JobKit
import JobStore
import StoreThreads

/// The servers that share the store.
extension PostgresJobStore {
    func announce(
        _ server: ServerRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { unit throws(PostgresFailure) in try unit.announce(server) }
    }

    func tell(
        _ messages: [ServerMessage], reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        let bytes = messages.reduce(0) { $0 + $1.body.count }
        write(reply, rows: 1 + bytes / WriteCost.row) { unit in
            unit.note(messages)
            return .success(())
        }
    }

    func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void) {
        board.observeMessages(observer)
    }
}
