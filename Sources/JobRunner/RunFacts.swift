internal import JobKit

/// The facts about a job that a run needs at its end, the run itself included.
struct RunFacts {
    /// Without the last `unread` entries that the run noted: a run that stores everything at once needs no fold.
    private var fold: JournalFold
    private var unread = 0
    /// Whether the execution of the root began.
    private(set) var wasStarted: Bool
    /// The number of the root's last attempt, 0 when there was none.
    private(set) var lastAttempt: Int
    /// The error of the root's last failed attempt.
    private(set) var lastError: AOperationError?
    /// The number of the last post that the run has seen.
    private(set) var postsSeen: Int64

    init(past: JournalFold, postsSeen: Int64) {
        fold = past
        let root = past.histories[[]]
        wasStarted = root?.startedAt != nil
        lastAttempt = root?.lastAttempt ?? 0
        lastError = root?.lastError
        self.postsSeen = postsSeen
    }

    /// The run noted an entry.
    mutating func note(_ entry: JournalEntry) {
        unread += 1
        guard entry.path.isEmpty else { return }
        switch entry.event {
        case .started: wasStarted = true
        case .attemptStarted(let number, _, _): lastAttempt = number
        case .attemptFinished(let record):
            lastAttempt = record.number
            lastError = record.error ?? lastError
        default: break
        }
    }

    /// The run has seen a post, which the store has already.
    mutating func note(_ message: JobMessage, number: Int64, at now: Timestamp, after entries: [JournalEntry])
    {
        postsSeen = max(postsSeen, number)
        read(entries)
        fold.apply(JournalEntry(at: now, path: [], event: .message(message)))
    }

    /// Brings the fold up to date.
    /// - Parameter entries: what the run noted last; at least everything since the last time.
    mutating func read(_ entries: [JournalEntry]) {
        guard unread > 0 else { return }
        for entry in entries.suffix(unread) { fold.apply(entry) }
        unread = 0
    }

    /// Leaves out what was not read: the fold is not asked for any more.
    mutating func skip() { unread = 0 }

    mutating func fold(with entries: [JournalEntry]) -> JournalFold {
        read(entries)
        return fold
    }
}
