/// The list of servers that share the store.
package protocol ServerStore: Sendable {
    /// Shows a server to the others as long as it has a lease, which it must have now.
    /// - Throws (in the reply): `.leaseLost`.
    func announce(_ server: ServerRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}

extension ServerStore {
    /// Does nothing: for engines that one server uses.
    package func announce(
        _ server: ServerRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) { reply(.success(())) }
}
