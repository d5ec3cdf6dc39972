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
        var fold: JournalFold
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
        store.update(update) { [self] reply in
            switch reply {
            case .success: landed(number)
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
        case .rest: later { [weak self] in self?.flyAgain(number) }
        case .lose: lost(error)
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
