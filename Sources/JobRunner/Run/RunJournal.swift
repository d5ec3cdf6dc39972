internal import JobKit
internal import JobSpec
internal import JobStore
internal import StrictJSON
internal import Synchronization

/// The journal of one run of one job: accepts entries, sends them to the store, and tracks the facts about the job.
///
/// It does not retain its run: when the store refuses an update for good, the owner of the runs is told the claim.
final class RunJournal: OperationJournal {
    private typealias Outbox = JournalOutbox<CheckedContinuation<Bool, Never>>

    private struct Book {
        var outbox: Outbox
        var facts: RunFacts
        var finish: (@Sendable (RunUpdate) -> Void)?
    }

    private let claim: ClaimKey
    private let host: RunHost
    /// For the writes of the job.
    let store: any RunStore & StoreReading & StoreWriting
    private let past: JournalFold
    private let trace: RunTrace?
    private let workOwner: LongWorkOwner
    private let book: Mutex<Book>

    /// - Parameter tenant: whose job it is.
    init(
        claim: ClaimKey, of tenant: Tenant?, host: RunHost, past: JournalFold, postsSeen: Int64,
        trace: RunTrace?
    ) {
        store = host.store(of: tenant)
        self.trace = trace
        self.claim = claim
        self.host = host
        self.past = past
        workOwner = LongWorkOwner(tenant: tenant?.name ?? "", job: claim.id.description)
        book = Mutex(Book(outbox: Outbox(for: claim), facts: RunFacts(past: past, postsSeen: postsSeen)))
    }

    var isClosed: Bool { book.withLock { !$0.outbox.isOpen } }

    /// The state of the job, including this run.
    var fold: JournalFold { book.withLock { $0.facts.fold(with: $0.outbox.unsent) } }

    /// The counts of the job's operations; nil while many are being counted for the first time.
    func counts(of spec: JobSpec) -> OperationCounts? {
        let (known, draft) = book.withLock { $0.facts.counts(of: spec, with: $0.outbox.unsent) }
        if let draft {
            host.environment.longWork.add(.brief, for: workOwner) { [weak self] in
                guard self?.isClosed == false else { return }
                let made = draft.made()
                self?.book.withLock { $0.facts.counts.take(made, of: draft) }
            }
        }
        return known
    }

    /// Has the operations counted anew, since some were added.
    func forgetCounts() { book.withLock { $0.facts.counts.forget() } }

    /// The facts that an end or a suspension needs.
    var facts: RunFacts { book.withLock { $0.facts } }

    func history(of path: [String]) -> OperationHistory? {
        past.histories.isEmpty ? nil : past.histories[path]
    }

    func record(_ entry: JournalEntry) {
        let isNoted = book.withLock { book in
            guard book.outbox.note(entry) else { return false }
            book.facts.note(entry)
            return true
        }
        guard isNoted else { return }
        if case .attemptFinished(let record) = entry.event { host.settings.notes.attempt(record.outcome) }
        trace?.note(entry)
    }

    /// Takes a post as it arrives.
    func arrived(_ message: JobMessage, number: Int64) {
        book.withLock { $0.facts.posts.arrived(message, number: number) }
    }

    /// Records the next post, which is already stored; nil when it has not arrived, or the journal is closed.
    func nextPost(at now: Timestamp) -> JobMessage? {
        book.withLock { book -> JobMessage? in
            guard book.outbox.isOpen else { return nil }
            return book.facts.nextPost(at: now, after: book.outbox.unsent)
        }
    }

    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String]) {
        let holds = taken.sorted().map { ExclusiveHold(key: $0.text, job: claim.id, path: path) }
        book.withLock { $0.outbox.note(taken: holds, freed: freed) }
    }

    /// The number of entries that are read at a time, on the loop where reads are local, and their bytes.
    private static let (readMax, readBytesMax) = (100, 64 << 10)
    /// The number of entries, and their bytes, that one write removes.
    private static let (removedMax, removedBytesMax) = (1_000, 1 << 20)

    func remove(_ parts: ForgottenParts) async throws(RunSuspended) -> ForgottenParts {
        var (seen, stored) = (parts, parts)
        var numbers: [Int64] = []
        var bytes = 0
        while true {
            let after = seen.last
            let read = try? await store.read { [id = claim.id] reader throws(JobStoreError) in
                try reader.journal(id, after: after, limit: Self.readMax, bytes: Self.readBytesMax)
            }
            guard let read else { return stored }
            for numbered in read {
                numbers += seen.take(numbered.entry, number: numbered.sequence)
                bytes += numbered.entry.bytes
            }
            let isLast = read.isEmpty
            if isLast || numbers.count >= Self.removedMax || bytes >= Self.removedBytesMax {
                if !numbers.isEmpty {
                    let removal = JournalRemoval(numbers.sorted().ranges, by: claim)
                    guard (try? await store.perform(removal)) != nil else { return stored }
                }
                (stored, numbers, bytes) = (seen, [], 0)
            }
            if isClosed { throw RunSuspended() }
            if isLast { return stored }
            await Task.yield()
        }
    }

    func flush() async throws(RunSuspended) {
        let isStored = await withCheckedContinuation { send(waking: $0) }
        if !isStored || isClosed { throw RunSuspended() }
    }

    /// Sends the unsent entries without waiting for the store.
    func flushUnsent() { send(waking: nil) }

    /// Closes the journal and returns the unsent entries; nil when it was closed or lost before.
    /// - Parameter keepsFold: whether `fold` is needed after this.
    func close(keepsFold: Bool = true) -> RunUpdate? {
        let closed = book.withLock {
            book -> (update: RunUpdate, waiters: [CheckedContinuation<Bool, Never>])? in
            if keepsFold { book.facts.read(book.outbox.unsent) } else { book.facts.skip() }
            return book.outbox.close()
        }
        guard let closed else { return nil }
        for waiter in closed.waiters { waiter.resume(returning: false) }
        return closed.update
    }

    /// Closes the journal after the store has refused an update for good; false when it was closed before.
    func closeLost() -> Bool { end { $0.closeLost() } }

    /// Closes the journal of a claim that is lost; false when it was closed before.
    func drop() -> Bool { end { $0.drop() } }

    private func end(_ close: (inout Outbox) -> [CheckedContinuation<Bool, Never>]?) -> Bool {
        guard let waiters = book.withLock({ close(&$0.outbox) }) else { return false }
        for waiter in waiters { waiter.resume(returning: false) }
        return true
    }

    /// Calls `then` with the run's last update as soon as nothing is in flight, together with everything that was not
    /// stored.
    func finish(with last: RunUpdate, _ then: @escaping @Sendable (RunUpdate) -> Void) {
        change { book in
            book.finish = then
            return book.outbox.finish(with: last)
        }
    }

    private func send(waking continuation: CheckedContinuation<Bool, Never>?) {
        change { book in
            // Entries are folded before they leave the outbox.
            book.facts.read(book.outbox.unsent)
            return book.outbox.send(waking: continuation)
        }
    }

    private func sendToStore(_ update: RunUpdate) {
        let (first, rest) = update.pieces
        store.update(first) { [self] reply in
            change { book in
                switch reply {
                case .success:
                    book.facts.read(book.outbox.unsent)
                    return book.outbox.delivered(rest: rest)
                case .failure(let error): return book.outbox.refused(isTemporary: error.isRetryable)
                }
            } lost: {
                if case .failure(let error) = reply { host.lost(claim, error) }
            }
        }
    }

    /// Applies an event to the outbox and performs the resulting actions.
    private func change(_ event: (inout Book) -> Outbox.Actions, lost: () -> Void = {}) {
        // Not the result of the lock's closure, which would copy them and box the function.
        var actions = Outbox.Actions()
        var finish: (@Sendable (RunUpdate) -> Void)?
        book.withLock { book in
            actions = event(&book)
            if actions.last != nil { swap(&finish, &book.finish) }
        }
        if let update = actions.send { sendToStore(update) }
        if let last = actions.last { finish?(last) }
        for waiter in actions.wake { waiter.resume(returning: actions.isStored) }
        if actions.retriesLater {
            host.later(host.settings.times.storeRetry) { [weak self] in self?.change { $0.outbox.retry() } }
        }
        if actions.isLost { lost() }
    }
}

extension [Int64] {
    /// The ranges of ascending numbers that follow one another.
    fileprivate var ranges: [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for number in self {
            if let last = ranges.last, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges
    }
}
