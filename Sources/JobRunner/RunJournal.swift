internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// `record` collects entries in memory; `flush` sends what was collected and waits until
// the store has it. One update is in flight at a time, and what comes meanwhile goes with the next, so that the journal
// has no hole when the store refuses an update. What is still unsent goes along with the update that ends or
// suspends the run, and so does what was in flight then and was refused.
//
// When the store cannot take an update at the moment, the run goes on: the update is sent again later, before anything
// newer, and whoever waits for it waits on. When it refuses one for good, nothing is noted any more, and whoever waits
// for it does so until the owner of the run has closed the journal: on the loop, together with suspending the tree.

/// The journal of one run of one job.
final class RunJournal: OperationJournal {
    private enum Phase {
        case open
        /// The store has refused an update for good.
        case lost
        case closed
    }

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
        /// What was refused when the run was over, and the last update, which waits for what is in flight.
        var refused: RunUpdate?
        var last: (update: RunUpdate, then: @Sendable (RunUpdate) -> Void)?
        var waiters: [(until: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var phase = Phase.open
        var taken: [ExclusiveHold] = []
        var freed: [String] = []
        var mailSeen: Int64

        /// Brings the fold up to date.
        mutating func read() {
            guard unread > 0 else { return }
            for entry in unsent.suffix(unread) { fold.apply(entry) }
            unread = 0
        }
    }

    private let claim: ClaimKey
    private let host: RunHost
    private let book: Mutex<Book>
    private let past: JournalFold

    init(claim: ClaimKey, host: RunHost, past: JournalFold, mailSeen: Int64) {
        self.claim = claim
        self.host = host
        self.past = past
        let root = past.histories[[]]
        let facts = RootFacts(wasStarted: root?.startedAt != nil, lastAttempt: root?.lastAttempt ?? 0)
        var book = Book(fold: past, root: facts, lastError: root?.lastError, mailSeen: mailSeen)
        book.unsent.reserveCapacity(4)
        self.book = Mutex(book)
    }

    /// Whether it takes nothing any more.
    var isClosed: Bool { book.withLock { $0.phase != .open } }

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
            guard book.phase == .open else { return }
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
            guard book.phase == .open else { return false }
            book.mailSeen = max(book.mailSeen, number)
            book.read()
            book.fold.apply(JournalEntry(at: now, path: [], event: .message(message)))
            return true
        }
    }

    func note(taken: Set<String>, freed: Set<String>, by path: [String]) {
        book.withLock { book in
            guard book.phase == .open else { return }
            book.taken += taken.sorted().map { ExclusiveHold(key: $0, job: claim.id, path: path) }
            for key in freed {
                // What was taken and not yet told need not be told.
                let count = book.taken.count
                book.taken.removeAll { $0.key == key }
                if book.taken.count == count { book.freed.append(key) }
            }
        }
    }

    func flush() async throws(RunSuspended) {
        let isStored = await withCheckedContinuation { continuation in
            send(waking: continuation)
        }
        if !isStored || isClosed { throw RunSuspended() }
    }

    /// Sends what was noted and not sent yet, without waiting for the store.
    func flushUnsent() { send(waking: nil) }

    /// Takes nothing from here on, and hands out what was not sent yet; nil when it was closed or lost before.
    /// - Parameter keepsFold: whether `fold` is asked for after this.
    func close(keepsFold: Bool = true) -> RunUpdate? {
        let (update, waiters) = book.withLock {
            book -> (RunUpdate?, [CheckedContinuation<Bool, Never>]) in
            guard book.phase == .open else { return (nil, []) }
            if !keepsFold { book.unread = 0 }
            return (takeUnsent(&book), Self.close(&book))
        }
        for waiter in waiters { waiter.resume(returning: false) }
        return update
    }

    /// Closes it after the store has refused an update for good; false when it was closed before.
    func closeLost() -> Bool {
        let waiters = book.withLock { $0.phase == .lost ? Self.close(&$0) : nil }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume(returning: false) }
        return true
    }

    private static func close(_ book: inout Book) -> [CheckedContinuation<Bool, Never>] {
        book.phase = .closed
        defer { book.waiters = [] }
        return book.waiters.map(\.continuation)
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

    /// Calls `then` with the run's last update as soon as nothing is in flight; what did not arrive goes with it.
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
            if book.phase == .closed { return .refuse }
            if book.phase == .lost {
                if let continuation { book.waiters.append((.max, continuation)) }
                return .wait
            }
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
        host.store.update(first) { [self] reply in
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
            let next = book.sendsMore && book.phase == .open ? (takeOff(&book), book.sent) : nil
            return (ready, next, book.last)
        }
        if let (update, number) = next { fly(update, number) }
        if let last { last.then(last.update) }
        for waiter in ready { waiter.resume(returning: true) }
    }

    private func refused(_ number: Int, _ error: JobStoreError) {
        enum Step { case none, rest, lose, end(RunUpdate, @Sendable (RunUpdate) -> Void) }
        let step = book.withLock { book -> Step in
            if book.phase == .open && error.isRetryable {
                book.isResting = true
                return .rest
            }
            defer { (book.flying, book.last) = (nil, nil) }
            if let last = book.last { return .end(Self.join(book.flying, last.update), last.then) }
            if book.phase == .open {
                book.phase = .lost
                return .lose
            }
            book.refused = book.flying
            return .none
        }
        switch step {
        case .none: break
        case .rest: host.later(host.settings.storeRetry) { [weak self] in self?.flyAgain(number) }
        case .lose: host.lost(claim, error)
        case .end(let update, let then): then(update)
        }
    }

    private func flyAgain(_ number: Int) {
        let update = book.withLock { book -> RunUpdate? in
            guard book.isResting, book.phase == .open else { return nil }
            book.isResting = false
            return book.flying
        }
        if let update { fly(update, number) }
    }
}
