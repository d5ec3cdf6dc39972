/// The servers that share the store, and what they tell each other.
package protocol ServerStore: Sendable {
    /// Shows a server to the others as long as it has a lease, which it must have now.
    /// - Throws (in the reply): `.leaseLost`.
    func announce(_ server: ServerRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Tells all other servers, in order. Messages may be lost when a server is busy or away for minutes.
    func tell(_ messages: [ServerMessage], reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Calls `observer` with the messages of other servers, on a thread of the store. There is one observer; setting
    /// another replaces it.
    func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void)
}

extension ServerStore {
    /// Does nothing: for engines that one server uses.
    package func announce(
        _ server: ServerRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) { reply(.success(())) }

    /// Does nothing: for engines that one server uses.
    package func tell(
        _ messages: [ServerMessage], reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) { reply(.success(())) }

    /// Never called: for engines that one server uses.
    package func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void) {}
}
