internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// One run's voice to the store. `record` collects entries in memory; `flush` sends what was collected and waits until
// the store has it. One update is in flight at a time, and what comes meanwhile goes with the next, so that the journal
// has no hole when the store refuses an update. What is still unsent goes along with the update that ends the run or
// puts it down, and so does what was in flight then and was refused.
//
// When the store cannot take an update at the moment, the run goes on: the update is sent again later, before anything
// newer, and whoever waits for it waits on.

/// The journal of one run of one job.
final class RunJournal: OperationJournal {
    private struct Book {
        var unsent: [JournalEntry] = []
        /// All entries but the last `unread` ones of `unsent`: a run that says everything at once needs no fold.
        var fold: JournalFold
        var unread = 0
        /// What is known of the root alone.
        var root: RootFacts
        /// Of the root's last attempt that failed.
        var lastError: AOperationError?
        var sent = 0
        /// What the store has not taken yet, and whether something is to be sent after it.
        var flying: RunUpdate?
        var sendsMore = false
        /// Whether it was refused at the moment and rests until it is sent again.
        var isResting = false
        /// What was refused when the run was over, and the last word that waits for what is in flight.
        var refused: RunUpdate?
        var last: (update: RunUpdate, then: @Sendable (RunUpdate) -> Void)?
        var waiters: [(until: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var isPutDown = false
        var waits = 0
        var taken: [ExclusiveHold] = []
        var freed: [String] = []
        var mailSeen: Int64
        /// Whose voice it is; let go of when the run is over.
        var run: JobRun?

        /// Brings the fold up to date.
        mutating func read() {
            guard unread > 0 else { return }
            for entry in unsent.suffix(unread) { fold.apply(entry) }
            unread = 0
        }
    }

    /// After so many waits of a run it is looked a moment later whether it is still, and not at each.
    private static let looksAtOnceMax = 100

    private let claim: ClaimKey
    private let store: any JobStore
    private let book: Mutex<Book>
    private let past: JournalFold

    /// - Parameter run: is told when the store refuses what it has to say, and when its tree may have fallen still.
    ///   Held until `letGo`.
    init(of run: JobRun, claim: ClaimKey, store: any JobStore, past: JournalFold, mailSeen: Int64) {
        self.claim = claim
        self.store = store
        self.past = past
        let root = past.histories[[]]
        let facts = RootFacts(wasStarted: root?.startedAt != nil, lastAttempt: root?.lastAttempt ?? 0)
        var book = Book(fold: past, root: facts, lastError: root?.lastError, mailSeen: mailSeen, run: run)
        book.unsent.reserveCapacity(4)
        self.book = Mutex(book)
    }

    private var run: JobRun? { book.withLock { $0.run } }

    /// The run is over: nobody is told of anything any more.
    func letGo() { book.withLock { $0.run = nil } }

    var isPutDown: Bool { book.withLock { $0.isPutDown } }

    /// What is known about the job now, this run included.
    var fold: JournalFold {
        book.withLock { book in
            book.read()
            return book.fold
        }
    }

    /// What is known about the root operation.
    struct RootFacts {
        /// Whether its execution began.
        var wasStarted: Bool
        /// The number of its last attempt, 0 when there was none.
        var lastAttempt: Int
    }

    /// What is known about the root operation now; cheaper than the fold.
    var root: RootFacts { book.withLock { $0.root } }

    /// The error of the root's last failed attempt.
    var lastError: AOperationError? { book.withLock { $0.lastError } }

    /// The number of the last post that the run has seen.
    var mailSeen: Int64 { book.withLock { $0.mailSeen } }

    func history(of path: [String]) -> OperationHistory? { past.histories[path] }

    func record(_ entry: JournalEntry) {
        book.withLock { book in
            guard !book.isPutDown else { return }
            book.unsent.append(entry)
            book.unread += 1
            guard entry.path.isEmpty else { return }
            switch entry.event {
            case .started: book.root.wasStarted = true
            case .attemptStarted(let number, _, _): book.root.lastAttempt = number
            case .attemptFinished(let record):
                book.root.lastAttempt = record.number
                book.lastError = record.error ?? book.lastError
            default: break
            }
        }
    }

    /// Takes note of something that the store has already: it was posted to the job. False when it is too late.
    func noteSeen(_ message: JobMessage, number: Int64, at now: Timestamp) -> Bool {
        book.withLock { book in
            guard !book.isPutDown else { return false }
            book.mailSeen = max(book.mailSeen, number)
            book.read()
            book.fold.apply(JournalEntry(at: now, path: [], event: .message(message)))
            return true
        }
    }

    func note(taken: Set<String>, freed: Set<String>, by path: [String]) {
        book.withLock { book in
            guard !book.isPutDown else { return }
            book.taken += taken.sorted().map { ExclusiveHold(key: $0, job: claim.id, path: path) }
            for key in freed {
                // What was taken and not yet told need not be told.
                let count = book.taken.count
                book.taken.removeAll { $0.key == key }
                if book.taken.count == count { book.freed.append(key) }
            }
        }
    }

    func flush() async throws(RunPutDown) {
        let isStored = await withCheckedContinuation { continuation in
            send(waking: continuation)
        }
        if !isStored || isPutDown { throw RunPutDown() }
    }

    /// Sends what was noted and not sent yet, without waiting for the store.
    func flushUnsent() { send(waking: nil) }

    func isPutDownForWait(until date: Timestamp) -> Bool {
        let (run, waits) = book.withLock { book in
            book.waits += 1
            return (book.run, book.waits)
        }
        // A look goes through the whole tree: with many waits one is made for all that begin at about the same time.
        guard waits > Self.looksAtOnceMax else { return run?.putDownIfStill() ?? false }
        run?.lookSoon()
        return false
    }

    func settled() {
        book.withLock { $0.waits > 0 && !$0.isPutDown ? $0.run : nil }?.lookSoon()
    }

    /// Ends the run's voice and hands out what was not sent yet; nil when that was done before.
    /// - Parameter keepsFold: whether `fold` is asked for after this.
    func putDown(keepsFold: Bool = true) -> RunUpdate? {
        let (update, waiters) = book.withLock {
            book -> (RunUpdate?, [CheckedContinuation<Bool, Never>]) in
            guard !book.isPutDown else { return (nil, []) }
            book.isPutDown = true
            defer { book.waiters = [] }
            if !keepsFold { book.unread = 0 }
            return (takeUnsent(&book), book.waiters.map(\.continuation))
        }
        for waiter in waiters { waiter.resume(returning: false) }
        return update
    }

    private func takeUnsent(_ book: inout Book) -> RunUpdate {
        book.read()
        var update = RunUpdate(claim: claim, journal: book.unsent)
        update.taken = book.taken
        update.freed = book.freed
        book.unsent = []
        book.taken = []
        book.freed = []
        return update
    }

    /// Calls `then` with the run's last word as soon as nothing is in flight; what did not arrive goes with it.
    func whenLanded(_ last: RunUpdate, _ then: @escaping @Sendable (RunUpdate) -> Void) {
        let ready = book.withLock { book -> RunUpdate? in
            if book.flying != nil && !book.isResting {
                book.last = (last, then)
                return nil
            }
            defer { (book.flying, book.refused, book.isResting) = (nil, nil, false) }
            return Self.join(book.flying ?? book.refused, last)
        }
        if let ready { then(ready) }
    }

    private static func join(_ earlier: RunUpdate?, _ last: RunUpdate) -> RunUpdate {
        guard let earlier else { return last }
        var all = last
        all.journal = earlier.journal + last.journal
        all.taken = earlier.taken.filter { !last.freed.contains($0.key) } + last.taken
        all.freed = earlier.freed + last.freed
        return all
    }

    private func send(waking continuation: CheckedContinuation<Bool, Never>?) {
        enum Step { case refuse, done, wait, send(RunUpdate, Int) }
        let step = book.withLock { book -> Step in
            if book.isPutDown { return .refuse }
            let isEmpty = book.unsent.isEmpty && book.taken.isEmpty && book.freed.isEmpty
            if isEmpty && book.flying == nil { return .done }
            if let continuation { book.waiters.append((book.sent + (isEmpty ? 0 : 1), continuation)) }
            if book.flying != nil {
                book.sendsMore = book.sendsMore || !isEmpty
                return .wait
            }
            return .send(takeOff(&book), book.sent)
        }
        switch step {
        case .refuse: continuation?.resume(returning: false)
        case .done: continuation?.resume(returning: true)
        case .wait: break
        case .send(let update, let number): fly(update, number)
        }
    }

    private func takeOff(_ book: inout Book) -> RunUpdate {
        let update = takeUnsent(&book)
        book.sent += 1
        book.flying = update
        book.sendsMore = false
        return update
    }

    private func fly(_ update: RunUpdate, _ number: Int) {
        let (first, rest) = update.pieces
        store.update(first) { [self] reply in
            switch reply {
            case .success:
                guard let rest else { return landed(number) }
                book.withLock { $0.flying = rest }
                fly(rest, number)
            case .failure(let error): refused(number, error)
            }
        }
    }

    private func landed(_ number: Int) {
        let (ready, next, last) = book.withLock { book in
            book.flying = nil
            let ready = book.waiters.filter { $0.until <= number }.map(\.continuation)
            book.waiters.removeAll { $0.until <= number }
            defer { book.last = nil }
            let next = book.sendsMore && !book.isPutDown ? (takeOff(&book), book.sent) : nil
            return (ready, next, book.last)
        }
        if let (update, number) = next { fly(update, number) }
        if let last { last.then(last.update) }
        for waiter in ready { waiter.resume(returning: true) }
    }

    private func refused(_ number: Int, _ error: JobStoreError) {
        enum Step { case none, rest, lose, end(RunUpdate, @Sendable (RunUpdate) -> Void) }
        let step = book.withLock { book -> Step in
            if !book.isPutDown && error.isRetryable {
                book.isResting = true
                return .rest
            }
            defer { (book.flying, book.last) = (nil, nil) }
            if let last = book.last { return .end(Self.join(book.flying, last.update), last.then) }
            if book.isPutDown { book.refused = book.flying }
            return book.isPutDown ? .none : .lose
        }
        switch step {
        case .none: break
        case .rest: run?.tryLater { [weak self] in self?.flyAgain(number) }
        case .lose: run?.lost(error)
        case .end(let update, let then): then(update)
        }
    }

    private func flyAgain(_ number: Int) {
        let update = book.withLock { book -> RunUpdate? in
            guard book.isResting, !book.isPutDown else { return nil }
            book.isResting = false
            return book.flying
        }
        if let update { fly(update, number) }
    }
}
