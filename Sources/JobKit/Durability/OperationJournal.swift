/// What one run of a durable tree of operations writes down, and what it knows from earlier runs.
///
/// `record` notes at once and cheaply; `flush` makes everything noted so far durable. Once a run is put down, both do
/// nothing any more: what it would say belongs to a later run.
public protocol OperationJournal: AnyObject, Sendable {
    /// Notes an entry, to be made durable with the next flush.
    func record(_ entry: JournalEntry)

    /// Returns when everything noted before the call is on disk.
    /// - Throws: when it cannot be stored, or the run was put down. The caller stops, then, without a word.
    func flush() async throws(RunPutDown)

    /// What is known about an operation from earlier runs; nil when it never began.
    func history(of path: [String]) -> OperationHistory?

    /// Everything that is known about the job now, this run included.
    var fold: JournalFold { get }

    /// Whether the run was put down: its tree leaves memory and goes on later from the journal.
    var isPutDown: Bool { get }

    /// An operation took exclusive keys, or gave them back. Made durable with the next flush.
    func note(taken: Set<String>, freed: Set<String>, by path: [String])

    /// An operation began to wait until `date`, which is `Timestamp.never` when no date ends the wait. When nothing
    /// else of the tree can go on, the run is put down here and the answer is true: everything noted is being made
    /// durable and the caller stops without a word.
    func isPutDownForWait(until date: Timestamp) -> Bool

    /// An operation that may have kept the tree awake ended or fell still.
    func settled()
}

/// The run was put down: stop without a word, the journal will be read again.
public struct RunPutDown: Error, Sendable {
    /// The run was put down.
    public init() {}
}
