/// What the journal knows about one operation.
public struct OperationHistory: Sendable, Hashable {
    /// When its execution began, in the current try.
    public var startedAt: Timestamp?
    /// All attempts that are over, in order.
    public var attempts: [AttemptRecord] = []
    /// An attempt that began and of whose end nothing is known: it was in flight when the process ended.
    public var openAttempt: OpenAttempt?
    /// Until when it waits, for its delay or its next attempt.
    public var waitingUntil: Timestamp?
    /// What the wait is for.
    public var waitReason: JournalEntry.WaitReason?
    /// How it ended; nil when it has not.
    public var ending: OperationEnding?
    /// When it ended.
    public var finishedAt: Timestamp?
    /// How many of `attempts` belong to earlier tries, before a person asked for another.
    public var attemptsBefore = 0

    /// An attempt without an end.
    public struct OpenAttempt: Sendable, Hashable {
        /// Which attempt.
        public var number: Int
        /// When it began.
        public var startedAt: Timestamp
        /// The method, for calls.
        public var method: String?
        /// The URL, for calls.
        public var url: String?
    }

    /// Nothing known yet.
    public init() {}

    /// The number of the last attempt made, 0 when there was none.
    public var lastAttempt: Int { openAttempt?.number ?? attempts.last?.number ?? 0 }

    /// Attempts of the current try that count against the limit: interrupted ones do not.
    public var attemptsCounted: Int {
        attempts.dropFirst(attemptsBefore).count { $0.outcome != .interrupted }
    }

    mutating func apply(_ entry: JournalEntry) {
        switch entry.event {
        case .started:
            if startedAt == nil { startedAt = entry.at }
        case .attemptStarted(let number, let method, let url):
            openAttempt = OpenAttempt(number: number, startedAt: entry.at, method: method, url: url)
            waitingUntil = nil
        case .attemptFinished(let record):
            attempts.append(record)
            openAttempt = nil
        case .waiting(let until, let reason):
            waitingUntil = until
            waitReason = reason
        case .finished(let ending):
            self.ending = ending
            finishedAt = entry.at
            waitingUntil = nil
        case .cancelRequested, .retried:
            break
        }
    }

    /// Makes room for another try: everything but the attempts is forgotten, unless it succeeded.
    mutating func begAnew() {
        guard ending?.state != .succeeded else { return }
        let kept = attempts
        self = OperationHistory()
        attempts = kept
        attemptsBefore = kept.count
    }
}
