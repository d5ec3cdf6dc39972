/// A journal read from its beginning: what is known about every operation of a job.
public struct JournalFold: Sendable {
    /// By path below the root; the root's path is empty.
    public private(set) var histories: [[String]: OperationHistory] = [:]
    /// When a person last asked for another try.
    public private(set) var retriedAt: Timestamp?
    /// Who asked to stop the job, and why; nil when nobody did since the last try.
    public private(set) var cancelRequest: CancelNote?

    /// A wish to stop.
    public struct CancelNote: Sendable, Hashable {
        /// Who asked.
        public var by: String
        /// Why, in their words.
        public var reason: String?
    }

    /// Reads the entries in their order.
    public init(_ entries: some Sequence<JournalEntry>) {
        for entry in entries { apply(entry) }
    }

    /// Takes one more entry.
    public mutating func apply(_ entry: JournalEntry) {
        switch entry.event {
        case .retried:
            retriedAt = entry.at
            cancelRequest = nil
            for path in histories.keys { histories[path]?.begAnew() }
        case .cancelRequested(let by, let reason):
            cancelRequest = CancelNote(by: by, reason: reason)
        default:
            histories[entry.path, default: OperationHistory()].apply(entry)
        }
    }
}
