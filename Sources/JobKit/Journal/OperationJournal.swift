package import StrictJSON

/// The journal of one run of a durable tree of operations: it records this run and knows the earlier ones.
///
/// `record` is immediate and cheap; `flush` makes all recorded entries durable. Once the run is suspended, both do
/// nothing: the rest belongs to a later run.
package protocol OperationJournal: AnyObject, Sendable {
    /// Records an entry, to be made durable with the next flush.
    func record(_ entry: JournalEntry)

    /// Returns when everything recorded before the call is on disk.
    /// - Throws: when it cannot be stored, or the run was suspended. The caller stops without recording anything.
    func flush() async throws(RunSuspended)

    /// The history of an operation from earlier runs; nil when it never began.
    func history(of path: [String]) -> OperationHistory?

    /// The current state of the job, including this run.
    var fold: JournalFold { get }

    /// Records that an operation took or released exclusive keys. Made durable with the next flush.
    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String])

    /// Removes what is stored inside of ended parts of a map over lines. Returns when it is gone; what the store does
    /// not remove now goes with a later call.
    /// - Returns: the parts as far as the journal was looked through, for the next call.
    func remove(_ parts: ForgottenParts) async throws(RunSuspended) -> ForgottenParts
}

extension OperationJournal {
    /// Nothing: where no store is read again.
    package func remove(_ parts: ForgottenParts) async throws(RunSuspended) -> ForgottenParts { parts }
}

/// The run was suspended: its tree leaves memory, and a later run resumes from the journal.
package struct RunSuspended: Error, Sendable {
    /// The run was suspended.
    package init() {}
}
