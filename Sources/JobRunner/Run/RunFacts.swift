internal import JobKit
internal import JobSpec
internal import JobStore

/// The facts about a job that a run needs at its end, including the run itself.
struct RunFacts {
    /// Lags behind by the last `unread` entries of the run: a run that stores everything at once needs no fold.
    private var fold: JournalFold
    private var unread = 0
    /// The counts of the operations.
    var counts = RunCounts()
    /// Whether the root has started.
    private(set) var wasStarted: Bool
    /// The number of the root's last attempt; 0 when there was none.
    private(set) var lastAttempt: Int
    /// The error of the root's last failed attempt.
    private(set) var lastError: AOperationError?
    /// The root's last call, and the calls of operations that failed.
    private var calls = FailedCalls()
    /// The posts that the run has seen, and those that wait for their turn.
    var posts: PostOrder

    init(past: JournalFold, postsSeen: Int64) {
        fold = past
        let root = past.histories[[]]
        wasStarted = root?.startedAt != nil
        lastAttempt = root?.lastAttempt ?? 0
        lastError = root?.lastError
        posts = PostOrder(seen: postsSeen)
    }

    /// Records an entry of the run.
    mutating func note(_ entry: JournalEntry) {
        unread += 1
        calls.note(entry)
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

    /// The call of a job that ends with these errors: that of the operation in which the first arose, or its own.
    func call(after errors: [AOperationError]) -> JobDetail.Call? {
        calls.call(of: errors.first.map { Array($0.path.dropFirst()) } ?? [])
    }

    /// Records the next post, which is already stored; nil when it has not arrived.
    mutating func nextPost(at now: Timestamp, after entries: [JournalEntry]) -> JobMessage? {
        guard let message = posts.next() else { return nil }
        read(entries)
        let entry = JournalEntry(at: now, path: [], event: .message(message))
        counts.note(entry, before: fold)
        fold.apply(entry)
        return message
    }

    /// Brings the fold up to date.
    /// - Parameter entries: the last entries of the run; at least all since the last call.
    mutating func read(_ entries: [JournalEntry]) {
        guard unread > 0 else { return }
        for entry in entries.suffix(unread) {
            counts.note(entry, before: fold)
            fold.apply(entry)
            fold.forgetPart(endedBy: entry)
        }
        unread = 0
    }

    /// The counts of the operations as far as they are known, and a count to make elsewhere when one is needed.
    /// - Parameter entries: as for `read`.
    mutating func counts(
        of spec: JobSpec, with entries: [JournalEntry]
    ) -> (known: OperationCounts?, draft: RunCounts.Draft?) {
        read(entries)
        return counts.counts(fold, of: spec)
    }

    /// Skips the unread entries, when the fold is no longer needed.
    mutating func skip() { unread = 0 }

    mutating func fold(with entries: [JournalEntry]) -> JournalFold {
        read(entries)
        return fold
    }
}
