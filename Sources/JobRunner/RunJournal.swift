internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// One run's voice to the store. `record` collects entries in memory; `flush` sends what was collected and waits until
// the store has it. Flushes overlap: each sends what is new and waits for the last thing sent, because the store
// applies the updates of one caller in their order. What is still unsent goes along with the next update, at the
// latest with the one that ends the run or puts it down.
//
// When the store cannot take an update at the moment, the run goes on: what was refused is sent again later, before
// anything newer, and whoever waits for it waits on. Only when something newer was stored meanwhile is the run lost.

/// The journal of one run of one job.
final class RunJournal: OperationJournal {
    private struct Book {
        var unsent: [JournalEntry] = []
        var fold: JournalFold
        var sent = 0
        var stored = 0
        /// How many updates were answered, and those of them that were refused at the moment.
        var answered = 0
        var refused: [RunUpdate] = []
        var waiters: [(until: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var isPutDown = false
        var lastError: AOperationError?
        var waits = 0
        var taken: [ExclusiveHold] = []
        var freed: [String] = []
        var mailSeen: Int64
    }

    private let claim: ClaimKey
    private let store: any JobStore
    private let book: Mutex<Book>
    private let past: JournalFold
    /// Told once when the store refuses what the run has to say.
    private let lost: @Sendable (JobStoreError) -> Void
    /// Calls a function after a pause, for another try.
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Told when the tree may have fallen still; true when the run is put down now.
    private let fellStill: @Sendable () -> Bool
    /// Told when something ended while others wait.
    private let mayHaveFallenStill: @Sendable () -> Void

    init(
        claim: ClaimKey, store: any JobStore, past: JournalFold, mailSeen: Int64,
        lost: @escaping @Sendable (JobStoreError) -> Void,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        fellStill: @escaping @Sendable () -> Bool, mayHaveFallenStill: @escaping @Sendable () -> Void
    ) {
        self.claim = claim
        self.store = store
        self.past = past
        self.lost = lost
        self.later = later
        self.fellStill = fellStill
        self.mayHaveFallenStill = mayHaveFallenStill
        book = Mutex(Book(fold: past, mailSeen: mailSeen))
    }

    var isPutDown: Bool { book.withLock { $0.isPutDown } }

    /// What is known about the job now, this run included.
    var fold: JournalFold { book.withLock { $0.fold } }

    /// The error of the root's last failed attempt.
    var lastError: AOperationError? { book.withLock { $0.lastError } }

    /// The number of the last post that the run has seen.
    var mailSeen: Int64 { book.withLock { $0.mailSeen } }

    func history(of path: [String]) -> OperationHistory? { past.histories[path] }

    func record(_ entry: JournalEntry) {
        book.withLock { book in
            guard !book.isPutDown else { return }
            book.unsent.append(entry)
            book.fold.apply(entry)
            guard entry.path.isEmpty else { return }
            if case .attemptFinished(let record) = entry.event {
                book.lastError = record.error ?? book.lastError
            }
        }
    }

    /// Takes note of something that the store has already: it was posted to the job. False when it is too late.
    func noteSeen(_ message: JobMessage, number: Int64, at now: Timestamp) -> Bool {
        book.withLock { book in
            guard !book.isPutDown else { return false }
            book.mailSeen = max(book.mailSeen, number)
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
        book.withLock { $0.waits += 1 }
        return fellStill()
    }

    func settled() {
        if book.withLock({ $0.waits > 0 && !$0.isPutDown }) { mayHaveFallenStill() }
    }

    /// Ends the run's voice and hands out what was not sent yet; nil when that was done before.
    func putDown() -> RunUpdate? {
        let (update, waiters) = book.withLock {
            book -> (RunUpdate?, [CheckedContinuation<Bool, Never>]) in
            guard !book.isPutDown else { return (nil, []) }
            book.isPutDown = true
            defer { book.waiters = [] }
            return (takeUnsent(&book), book.waiters.map(\.continuation))
        }
        for waiter in waiters { waiter.resume(returning: false) }
        return update
    }

    private func takeUnsent(_ book: inout Book) -> RunUpdate {
        var update = RunUpdate(claim: claim, journal: book.refused.flatMap(\.journal) + book.unsent)
        update.taken = book.refused.flatMap(\.taken) + book.taken
        update.freed = book.refused.flatMap(\.freed) + book.freed
        book.refused = []
        book.unsent = []
        book.taken = []
        book.freed = []
        return update
    }

    private func send(waking continuation: CheckedContinuation<Bool, Never>?) {
        enum Step { case refuse, done, wait, send(RunUpdate, Int) }
        let step = book.withLock { book -> Step in
            if book.isPutDown { return .refuse }
            let isEmpty = book.unsent.isEmpty && book.taken.isEmpty && book.freed.isEmpty
            // What was refused goes first: the next update, which takes all along, is the one to wait for.
            let isHeldBack = !book.refused.isEmpty
            if isEmpty && !isHeldBack && book.stored == book.sent { return .done }
            if isEmpty || isHeldBack {
                if let continuation { book.waiters.append((book.sent + (isHeldBack ? 1 : 0), continuation)) }
                return .wait
            }
            book.sent += 1
            if let continuation { book.waiters.append((book.sent, continuation)) }
            return .send(takeUnsent(&book), book.sent)
        }
        switch step {
        case .refuse: continuation?.resume(returning: false)
        case .done: continuation?.resume(returning: true)
        case .wait: break
        case .send(let update, let number): send(update, number)
        }
    }

    private func send(_ update: RunUpdate, _ number: Int) {
        store.update(update) { [self] reply in
            switch reply {
            case .success: stored(number)
            case .failure(let error) where error.isRetryable: refused(update, number, error)
            case .failure(let error): lost(error)
            }
        }
    }

    private func stored(_ number: Int) {
        let (ready, isOutOfTurn) = book.withLock { book -> ([CheckedContinuation<Bool, Never>], Bool) in
            book.answered += 1
            book.stored = max(book.stored, number)
            if !book.refused.isEmpty { return ([], true) }
            let ready = book.waiters.filter { $0.until <= book.stored }.map(\.continuation)
            book.waiters.removeAll { $0.until <= book.stored }
            return (ready, false)
        }
        for waiter in ready { waiter.resume(returning: true) }
        if isOutOfTurn { lostTheThread() }
    }

    /// The store takes nothing at the moment.
    private func refused(_ update: RunUpdate, _ number: Int, _ error: JobStoreError) {
        enum Step { case none, retry, giveUp }
        let step = book.withLock { book -> Step in
            book.answered += 1
            if book.isPutDown { return .none }
            if book.stored > number { return .giveUp }
            book.refused.append(update)
            return book.answered == book.sent ? .retry : .none
        }
        switch step {
        case .none: break
        case .giveUp: lostTheThread()
        case .retry: later { [weak self] in self?.sendRefused() }
        }
    }

    private func sendRefused() {
        let next = book.withLock { book -> (RunUpdate, Int)? in
            guard !book.isPutDown, !book.refused.isEmpty else { return nil }
            book.sent += 1
            return (takeUnsent(&book), book.sent)
        }
        if let (update, number) = next { send(update, number) }
    }

    private func lostTheThread() {
        lost(JobStoreError(.unavailable, "Something newer was stored while an older entry was refused."))
    }
}
