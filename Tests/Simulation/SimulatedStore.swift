import JobKit
import JobSpec
import JobStore
import MemoryStore

// DESIGN
// One life of the server sees the disk through this store, as it would see SQLite: writes gather in a queue, a group of
// them becomes durable at once, a little later the commit is reported and then each reply comes, all interleaved with
// the work of the loop. The dice refuse single writes and whole periods. A crash loses the queue, except for a prefix
// that may just have reached the disk; no reply comes.

/// The store as one life of the server sees it.
// Safe because everything of a simulation happens on one thread.
final class SimulatedStore: @unchecked Sendable {
    /// A write in progress.
    private struct Write {
        let name: StaticString
        /// Changes the disk.
        let perform: () -> Void
        /// Delivers the outcome.
        let deliver: () -> Void
        /// Reports that nothing was changed.
        let refuse: (JobStoreError) -> Void
    }

    private let world: World
    let disk: Disk
    private let faults: StoreFaults
    private var queue: [Write] = []
    /// Durable writes without a reply yet.
    private var untold: [Write] = []
    /// Refused writes without a reply yet.
    private var refused: [(write: Write, error: JobStoreError)] = []
    private var isBusy = false
    private var isDead = false
    private var observer: (@Sendable ([JobChange]) -> Void)?
    private var openingObserver: (@Sendable (Timestamp) -> Void)?

    init(world: World, disk: Disk, faults: StoreFaults) {
        self.world = world
        self.disk = disk
        self.faults = faults
    }

    /// Whether every write has its reply.
    var isIdle: Bool { queue.isEmpty && refused.isEmpty && untold.isEmpty && !isBusy }

    /// Ends this life, `reached` writes after those known to be on the disk. Waiting callers are told that nothing was
    /// done, which has no effect any more.
    func die(reached: Int) {
        isDead = true
        observer = nil
        openingObserver = nil
        for write in queue.prefix(reached) { write.perform() }
        let lost = refused.map(\.write) + untold + queue
        (refused, untold, queue) = ([], [], [])
        for write in lost { write.refuse(SimulatedStore.gone) }
    }

    private static let gone = JobStoreError(.staleClaim, "The server is gone.")

    // MARK: Groups

    /// - Parameter noted: called on the disk's side with the written value.
    func write<Value: Sendable>(
        _ name: StaticString, _ reply: @escaping @Sendable (Result<Value, JobStoreError>) -> Void,
        _ body:
            @escaping (MemoryJobStore, @escaping @Sendable (Result<Value, JobStoreError>) -> Void) -> Void,
        noted: ((Value) -> Void)? = nil
    ) {
        if isDead { return reply(.failure(SimulatedStore.gone)) }
        let outcome = Outcome<Value>()
        let disk = disk
        queue.append(
            Write(
                name: name,
                perform: {
                    body(disk.truth) { outcome.result = $0 }
                    if case .success(let value)? = outcome.result { noted?(value) }
                },
                deliver: { if let result = outcome.result { reply(result) } },
                refuse: { reply(.failure($0)) }))
        begin()
    }

    private func begin() {
        guard !isBusy, !queue.isEmpty else { return }
        isBusy = true
        world.after(faults.syncMicroseconds()) { [weak self] in self?.commit() }
    }

    private func commit() {
        guard !isDead else { return }
        let count = world.dice.hits(80) ? queue.count : world.dice.among(1...queue.count)
        let group = Array(queue.prefix(count))
        queue.removeFirst(count)
        for write in group {
            if let error = faults.strike(at: world.time) {
                world.note(1, 0, 0, "store refuses \(write.name): \(error.code)")
                refused.append((write, error))
            } else {
                write.perform()
                world.note(2, 0, 0, "store has \(write.name)")
                untold.append(write)
            }
        }
        let changes = disk.takeChanges()
        world.after(Int64(world.dice.below(200))) { [weak self] in self?.publish(changes) }
    }

    private func publish(_ changes: [JobChange]) {
        guard !isDead else { return }
        if !changes.isEmpty { observer?(changes) }
        if let opening = disk.takeOpening() { openingObserver?(opening) }
        let refused = refused
        self.refused = []
        for (write, error) in refused { write.refuse(error) }
        tellNext()
    }

    private func tellNext() {
        guard !isDead else { return }
        guard !untold.isEmpty else {
            isBusy = false
            return begin()
        }
        untold.removeFirst().deliver()
        world.after(Int64(world.dice.below(20))) { [weak self] in self?.tellNext() }
    }
}

/// The outcome of a write.
// Safe because everything of a simulation happens on one thread.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, JobStoreError>?
}

extension SimulatedStore: JobStore {
    func submit(_ job: NewJob, reply: @escaping @Sendable (Result<SubmitOutcome, JobStoreError>) -> Void) {
        write("submit", reply) { $0.submit(job, reply: $1) }
    }

    func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping @Sendable (Result<BatchOutcome, JobStoreError>) -> Void
    ) {
        write("submit many", reply) { $0.submit(jobs, isAtomic: isAtomic, isFollowed: isFollowed, reply: $1) }
    }

    func submit(callbacks: [JobCallbacks], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void) {
        write("submit callbacks", reply) { $0.submit(callbacks: callbacks, reply: $1) }
    }

    func claim(
        _ request: ClaimRequest, reply: @escaping @Sendable (Result<[Claim], JobStoreError>) -> Void
    ) {
        let watcher = disk.watcher
        write("claim", reply) {
            $0.claim(request, reply: $1)
        } noted: {
            watcher?.claimed($0)
        }
    }

    func update(_ update: RunUpdate, reply: @escaping @Sendable (Result<Int64, JobStoreError>) -> Void) {
        let watcher = disk.watcher
        write("update", reply) {
            $0.update(update, reply: $1)
        } noted: { _ in
            watcher?.updated(update)
        }
    }

    func renew(
        _ owner: OwnerID, now: Timestamp, lease: Duration,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write("renew", reply) { $0.renew(owner, now: now, lease: lease, reply: $1) }
    }

    func recover(
        besides survivor: OwnerID?, now: Timestamp,
        reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        write("recover", reply) { $0.recover(besides: survivor, now: now, reply: $1) }
    }

    func end(
        _ owner: OwnerID, now: Timestamp, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        write("end", reply) { $0.end(owner, now: now, reply: $1) }
    }

    func cancel(
        _ request: CancelRequest, reply: @escaping @Sendable (Result<CancelOutcome, JobStoreError>) -> Void
    ) {
        write("cancel", reply) { $0.cancel(request, reply: $1) }
    }

    func retry(
        _ id: JobID, journal: JournalEntry,
        reply: @escaping @Sendable (Result<JobRecord, JobStoreError>) -> Void
    ) {
        let watcher = disk.watcher
        write("retry", reply) { store, reply in
            watcher?.mayLeaveFinal(id)
            store.retry(id, journal: journal, reply: reply)
        } noted: { _ in
            watcher?.retried(id)
        }
    }

    func post(_ post: JobPost, reply: @escaping @Sendable (Result<PostReceipt, JobStoreError>) -> Void) {
        write("post", reply) { $0.post(post, reply: $1) }
    }

    func wake(_ ids: [JobID], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void) {
        write("wake", reply) { $0.wake(ids, reply: $1) }
    }

    func wake(key: String, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void) {
        write("wake key", reply) { $0.wake(key: key, reply: $1) }
    }

    func decide(
        _ decision: ApprovalDecision,
        reply: @escaping @Sendable (Result<ApprovalReceipt, JobStoreError>) -> Void
    ) {
        write("decide", reply) { $0.decide(decision, reply: $1) }
    }

    func put(
        _ grant: GrantRecord, at now: Timestamp,
        reply: @escaping @Sendable (Result<GrantReceipt, JobStoreError>) -> Void
    ) {
        write("put grant", reply) { $0.put(grant, at: now, reply: $1) }
    }

    func request(
        _ name: String, _ request: GrantRequest,
        reply: @escaping @Sendable (Result<GrantRecord, JobStoreError>) -> Void
    ) {
        write("request grant", reply) { $0.request(name, request, reply: $1) }
    }

    func removeGrant(
        _ name: String, at now: Timestamp, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        write("remove grant", reply) { $0.removeGrant(name, at: now, reply: $1) }
    }

    func put(
        _ template: TemplateRecord,
        reply: @escaping @Sendable (Result<TemplateReceipt, JobStoreError>) -> Void
    ) {
        write("put template", reply) { $0.put(template, reply: $1) }
    }

    func removeTemplate(_ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        write("remove template", reply) { $0.removeTemplate(name, reply: $1) }
    }

    func store(
        _ change: ScheduleChange, reply: @escaping @Sendable (Result<ScheduleReceipt, JobStoreError>) -> Void
    ) {
        write("store schedule", reply) { $0.store(change, reply: $1) }
    }

    func removeSchedule(
        _ name: String, revision: Int64, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write("remove schedule", reply) { $0.removeSchedule(name, revision: revision, reply: $1) }
    }

    func removeOccurrences(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        write("remove occurrences", reply) { $0.removeOccurrences(before: time, limit: limit, reply: $1) }
    }

    func put(_ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void)
    {
        write("put setting", reply) { $0.put(draft, reply: $1) }
    }

    func removeSetting(
        _ kind: SettingKind, _ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write("remove setting", reply) { $0.removeSetting(kind, name, reply: $1) }
    }

    func keep(
        _ closings: [OriginClosing], at now: Timestamp,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write("keep origins", reply) { $0.keep(closings, at: now, reply: $1) }
    }

    func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write("remember", reply) { $0.remember(validator, for: key, reply: $1) }
    }

    func erase(_ id: JobID, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        let watcher = disk.watcher
        write("erase", reply) { store, reply in
            watcher?.mayLeaveFinal(id)
            store.erase(id, reply: reply)
        }
    }

    /// Records are not read in simulations.
    func auditing(_ draft: AuditDraft) -> any JobStore { self }

    func add(_ record: AuditRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        write("add a record", reply) { $0.add(record, reply: $1) }
    }

    func removeAudits(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        write("remove records", reply) { $0.removeAudits(before: time, limit: limit, reply: $1) }
    }

    func sweep(
        now: Timestamp, limit: Int, expire: @escaping @Sendable (JobRecord, JobState) -> AOperationError,
        reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        write("sweep", reply) { $0.sweep(now: now, limit: limit, expire: expire, reply: $1) }
    }

    func nextDueAt(reply: @escaping @Sendable (Result<Timestamp?, JobStoreError>) -> Void) {
        write("look at dates", reply) { $0.nextDueAt(reply: $1) }
    }

    func queues(
        now: Timestamp, reply: @escaping @Sendable (Result<[QueueStanding], JobStoreError>) -> Void
    ) {
        write("look at queues", reply) { $0.queues(now: now, reply: $1) }
    }

    func busiestKeys(
        of queue: String, limit: Int, now: Timestamp,
        reply: @escaping @Sendable (Result<[QueueKeyStanding], JobStoreError>) -> Void
    ) {
        write("look at keys", reply) { $0.busiestKeys(of: queue, limit: limit, now: now, reply: $1) }
    }

    func queued(
        _ id: JobID, now: Timestamp, reply: @escaping @Sendable (Result<QueuedJob?, JobStoreError>) -> Void
    ) {
        write("look at a line", reply) { $0.queued(id, now: now, reply: $1) }
    }

    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {
        openingObserver = observer
    }

    var settingsVersion: Int64 { disk.truth.settingsVersion }

    func counts() -> [JobState: Int] { disk.truth.counts() }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value { try await disk.truth.read(body) }

    func makeReader() throws(JobStoreError) -> any JobReader { try disk.truth.makeReader() }

    func observeCommits(_ observer: @escaping @Sendable ([JobChange]) -> Void) {
        self.observer = observer
    }
}
