/// The journal of one run of a durable tree of operations: it writes down this run and knows the earlier ones.
///
/// `record` notes at once and cheaply; `flush` makes everything noted so far durable. Once the run is suspended, both
/// do nothing: the rest belongs to a later run.
public protocol OperationJournal: AnyObject, Sendable {
    /// Notes an entry, to be made durable with the next flush.
    func record(_ entry: JournalEntry)

    /// Returns when everything noted before the call is on disk.
    /// - Throws: when it cannot be stored, or the run was suspended. The caller stops without recording anything.
    func flush() async throws(RunSuspended)

    /// What is known about an operation from earlier runs; nil when it never began.
    func history(of path: [String]) -> OperationHistory?

    /// Everything that is known about the job now, this run included.
    var fold: JournalFold { get }

    /// An operation took exclusive keys, or gave them back. Made durable with the next flush.
    func note(taken: Set<String>, freed: Set<String>, by path: [String])
}

/// The run was suspended: its tree leaves memory, and a later run goes on from the journal.
public struct RunSuspended: Error, Sendable {
    /// The run was suspended.
    public init() {}
}
