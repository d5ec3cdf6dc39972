package import JobKit

/// The side of a store that several servers share: what they tell each other, what a server hears of the writes of
/// others, and the lines for exclusive keys between them.
///
/// A store that one server uses has none (`StoreReading.shared`). Its server keeps the lines for exclusive keys, and
/// `RunUpdate` says which keys were taken.
package protocol SharedStore: Sendable {
    /// Shows a server to the others as long as it has a lease, which it must have now.
    /// - Throws (in the reply): `.leaseLost`.
    func announce(_ server: ServerRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Tells all other servers, in order. Messages may be lost when a server is busy or away for minutes.
    func tell(_ messages: [ServerMessage], reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Calls `observer` with the messages of other servers, on a thread of the store. There is one observer; setting
    /// another replaces it.
    func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void)

    /// Calls `observer` with the requests to jobs in flight that other servers stored, in their order, on a thread of
    /// the store. Those that this server stores are not among them: their callers notify the runs. There is one
    /// observer; setting another replaces it.
    func observeRequests(_ observer: @escaping @Sendable ([RunRequest]) -> Void)

    /// Calls `observer` when changes by other servers may be missing from what `CommitFeed.observeCommits` tells. There
    /// is one observer; setting another replaces it.
    func observeGaps(_ observer: @escaping @Sendable () -> Void)

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
