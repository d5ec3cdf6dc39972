/// The side of a store that several servers share: what they tell each other, what a server hears of the writes of
/// others, and the lines for exclusive keys between them.
///
/// A store that one server uses has none (`StoreReading.shared`). Its server keeps the lines for exclusive keys, and
/// `RunUpdate` says which keys were taken.
package protocol SharedStore: Sendable {
    /// Makes a write; see `SharedWrite`.
    func perform<Write: SharedWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>)

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
}

extension SharedStore {
    /// Makes a write and waits for its reply.
    @discardableResult
    package func perform<Write: SharedWrite>(_ write: Write) async throws(JobStoreError) -> Write.Reply {
        try await Result.awaiting { perform(write, reply: $0) }.get()
    }
}
