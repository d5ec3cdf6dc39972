/// A journal read from its beginning: what is known about every operation of a job.
public struct JournalFold: Sendable {
    /// By path below the root; the root's path is empty.
    public package(set) var histories: [[String]: OperationHistory] = [:]
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
        /// The code of the error that it ends with.
        public var code: ErrorCode
    }

    /// What came from outside, in order.
    public private(set) var messages: [JobMessage] = []
    /// The numbers, from 1, of the messages that an operation took.
    public private(set) var takenMessages: Set<Int> = []
    /// Who holds the job, so that nothing further is to begin; nil when nobody does.
    public private(set) var hold: HoldNote?

    /// Whether a person holds the job.
    public var isHeld: Bool { hold != nil }

    /// A person's wish that nothing further begins.
    public struct HoldNote: Sendable, Hashable {
        /// Who holds it.
        public var by: String
        /// Why, in their words.
        public var reason: String?
        /// Since when.
        public var since: Timestamp

        /// A hold.
        public init(by: String, reason: String?, since: Timestamp) {
            self.by = by
            self.reason = reason
            self.since = since
        }
    }

    /// Reads the entries in their order.
    public init(_ entries: some Sequence<JournalEntry>) {
        for entry in entries { apply(entry) }
    }

    /// Notes something of an operation; one that succeeded in an earlier try and is heard of again was begun anew.
    private mutating func note(_ entry: JournalEntry) {
        if let retriedAt, histories[entry.path]?.isKept == true {
            histories[entry.path]?.begAnew(at: retriedAt, always: true)
        }
        histories[entry.path, default: OperationHistory()].apply(entry)
    }

    /// Takes one more entry.
    public mutating func apply(_ entry: JournalEntry) {
        switch entry.event {
        case .retried:
            retriedAt = entry.at
            cancelRequest = nil
            hold = nil
            for path in histories.keys { histories[path]?.begAnew(at: entry.at) }
        case .cancelRequested(let by, let reason, let code):
            cancelRequest = CancelNote(by: by, reason: reason, code: code)
        case .message(let message):
            messages.append(message)
            switch message.content {
            case .hold(let reason):
                hold = hold ?? HoldNote(by: message.by, reason: reason, since: entry.at)
            case .release: hold = nil
            case .signal, .approval, .member: break
            }
        case .took(let number):
            takenMessages.insert(number)
            note(entry)
        default:
            note(entry)
        }
    }
}
