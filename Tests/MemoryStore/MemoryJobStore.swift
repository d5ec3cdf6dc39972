package import JobKit
internal import JobSpec
package import JobStore
import Synchronization

/// A store in memory, for tests.
///
/// Replies come on the caller's thread, before the call returns.
package final class MemoryJobStore: JobStore, SharedStore {
    private let ledger: Mutex<MemoryLedger>
    private let clock: any OperationClock
    private let observer = Mutex<(@Sendable ([JobChange]) -> Void)?>(nil)
    private let openingObserver = Mutex<(@Sendable (Timestamp) -> Void)?>(nil)
    let messageObserver = Mutex<(@Sendable ([ServerMessage]) -> Void)?>(nil)
    /// The store that this one is a view of; nil for the store itself.
    private let whole: MemoryJobStore?
    /// Recorded with each write of a view.
    private let draft: AuditDraft?
    /// The tenant whose writes a view makes.
    private let tenant: Tenant?
    /// The number of writes in the turns of each tenant, which views of tenants made.
    let turns = Mutex<[Tenant: Int]>([:])

    /// The time for woken jobs and leases that are read.
    var now: Timestamp { clock.now }

    /// Creates an empty store.
    /// - Parameters:
    ///   - clock: the time from which woken jobs may be claimed.
    ///   - isShared: whether several servers write to it.
    package init(
        limits: StoreLimits = StoreLimits(), clock: any OperationClock = SystemClock(),
        isShared: Bool = false
    ) {
        var ledger = MemoryLedger(limits: limits)
        ledger.isShared = isShared
        self.ledger = Mutex(ledger)
        self.clock = clock
        whole = nil
        draft = nil
        tenant = nil
    }

    init(_ store: MemoryJobStore, for tenant: Tenant? = nil, auditing draft: AuditDraft? = nil) {
        ledger = Mutex(MemoryLedger(limits: StoreLimits()))
        clock = store.clock
        whole = store
        self.draft = draft
        self.tenant = tenant
    }

    package func perform<Write: StoreWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>) {
        reply(run { write.apply(in: $0) })
    }

    package func submit(_ job: NewJob, reply: @escaping StoreReply<SubmitOutcome>) {
        reply(run { $0.submit(job) })
    }

    package func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping StoreReply<BatchOutcome>
    ) {
        reply(run { $0.submit(jobs, isAtomic: isAtomic) })
    }

    package func claim(_ request: ClaimRequest, reply: @escaping StoreReply<[Claim]>) {
        reply(write { ledger throws(JobStoreError) in try ledger.claim(request) })
    }

    package func takeArrivals(_ arrivals: JobArrivals?) { ledger.withLock { $0.arrivals = arrivals } }

    package func update(_ update: RunUpdate, reply: @escaping StoreReply<Int64>) {
        reply(run { $0.update(update) })
    }

    package func renew(_ owner: OwnerID, now: Timestamp, lease: Duration, reply: @escaping StoreReply<Void>) {
        reply(
            write { ledger throws(JobStoreError) in
                guard ledger.leases.renew(owner, until: now.advanced(by: lease)) else {
                    throw .leaseLost(owner)
                }
            })
    }

    package func recover(besides survivor: OwnerID?, now: Timestamp, reply: @escaping StoreReply<Int>) {
        reply(write { $0.recover(besides: survivor, now: now) })
    }

    package func end(_ owner: OwnerID, now: Timestamp, reply: @escaping StoreReply<Int>) {
        reply(write { $0.end(owner, now: now) })
    }

    /// Drops all leases, like a store that is opened by another process.
    package func reopen() {
        ledger.withLock { ledger in
            ledger.leases = OwnerLeases()
            ledger.arrivals = nil
        }
    }

    package func look<Look: QueueLook>(_ look: Look, reply: @escaping StoreReply<Look.Answer>) {
        reply(write { look.answer(by: $0) })
    }

    package func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {
        openingObserver.withLock { $0 = observer }
    }

    package var settingsVersion: Int64 { ledger.withLock { $0.settingsVersion } }

    package func counts() -> [JobState: Int] {
        ledger.withLock { $0.counts.filter { $0.value > 0 } }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value { try body(makeReader()) }

    package func makeReader() throws(JobStoreError) -> any JobReader {
        MemoryJobReader(store: self)
    }

    package func observeCommits(
        expecting: @escaping @Sendable ([JobChange]) -> Void,
        _ observer: @escaping @Sendable ([JobChange]) -> Void
    ) {
        self.observer.withLock { $0 = observer }
    }

    /// None: everything is in memory.
    package var artifacts: (any ArtifactPlace)? { nil }

    package func close() async { refuseAll(true) }

    /// Refuses all calls, or takes them again.
    package func refuseAll(_ isClosed: Bool) { ledger.withLock { $0.isClosed = isClosed } }

    package func checkHealth(reply: @escaping StoreReply<Void>) {
        reply(write { _ in })
    }

    /// Reads from the ledger.
    func read<Value: Sendable>(_ body: (MemoryLedger) -> Value) throws(JobStoreError) -> Value {
        if let whole { return try whole.read(body) }
        let value: Value? = ledger.withLock { $0.isClosed ? nil : body($0) }
        guard let value else { throw .closed }
        return value
    }

    /// Reads or changes what no observer is told of.
    func change<Value: Sendable>(_ body: (inout MemoryLedger) -> Value) -> Value {
        whole?.change(body) ?? ledger.withLock { body(&$0) }
    }

    func run<Value: Sendable>(
        _ work: (MemoryTransaction) -> Result<Value, JobStoreError>
    ) -> Result<Value, JobStoreError> {
        write { ledger throws(JobStoreError) in try ledger.run(work) }
    }

    func write<Value: Sendable>(
        _ body: (inout MemoryLedger) throws(JobStoreError) -> Value
    ) -> Result<Value, JobStoreError> {
        if let whole {
            if let tenant { whole.turns.withLock { $0[tenant, default: 0] += 1 } }
            guard let draft else { return whole.write(body) }
            return whole.write { ledger throws(JobStoreError) in try ledger.audit(draft, body) }
        }
        let result = ledger.withLock { ledger in
            if ledger.isClosed { return Result<Value, JobStoreError>.failure(.closed) }
            return Result { () throws(JobStoreError) in try body(&ledger) }
        }
        while let changes = ledger.withLock({ $0.takeChanges() }) {
            observer.withLock { $0 }?(changes)
            ledger.withLock { $0.isTelling = false }
        }
        if let observer = messageObserver.withLock({ $0 }) {
            let messages = takeNews().messages
            if !messages.isEmpty { observer(messages) }
        }
        let arrived = ledger.withLock { ledger -> ([Claim], JobArrivals?) in
            defer { ledger.arrived = [] }
            return (ledger.arrived, ledger.arrivals)
        }
        if !arrived.0.isEmpty { arrived.1?.handOver(arrived.0) }
        let opening = ledger.withLock { ledger in
            ledger.gate.opening(now: clock.now, passing: ledger.arrivals?.room.shares.passing)
        }
        if let opening {
            openingObserver.withLock { $0 }?(opening)
        }
        return result
    }
}
