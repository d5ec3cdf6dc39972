package import JobKit

/// Keeps the exclusive keys of operations, and the lines for them, where several servers share a store.
package protocol KeyStore: Sendable {
    /// Whether operations take their keys here. Otherwise the server keeps the lines, and `RunUpdate` says which keys
    /// were taken.
    var keepsKeyLines: Bool { get }

    /// Takes all keys for an operation of a run, or enters the line for them. The reply is whether the operation holds
    /// them. Keys are taken all at once, first come first served: an operation in line for a key keeps later ones from
    /// overtaking on that key, and on no other. When its turn comes it holds the keys, its job is woken or queued again
    /// when it is suspended, and all servers get the message `ServerMessage.granted`.
    /// - Throws (in the reply): `.staleClaim`.
    func take(_ request: KeyRequest, reply: @escaping @Sendable (Result<Bool, JobStoreError>) -> Void)

    /// Releases all keys of an operation of a run, and takes it out of the line.
    /// - Throws (in the reply): `.staleClaim`.
    func leave(
        _ claim: ClaimKey, path: [String], at now: Timestamp,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}

extension KeyStore {
    /// False: for engines that one server uses.
    package var keepsKeyLines: Bool { false }

    /// Never called: for engines that one server uses.
    package func take(_ request: KeyRequest, reply: @escaping @Sendable (Result<Bool, JobStoreError>) -> Void)
    {
        reply(.failure(JobStoreError(.unavailable, "The server itself keeps the lines for exclusive keys.")))
    }

    /// Never called: for engines that one server uses.
    package func leave(
        _ claim: ClaimKey, path: [String], at now: Timestamp,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        reply(.failure(JobStoreError(.unavailable, "The server itself keeps the lines for exclusive keys.")))
    }
}
