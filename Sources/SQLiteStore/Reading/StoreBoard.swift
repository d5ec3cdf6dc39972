import JobKit
import JobStore
import Synchronization

/// The state that the writer thread shares with all others.
final class StoreBoard: Sendable {
    private struct Notices: Sendable {
        var tally = Tally()
        var observer: CommitObserver?
        var openingObserver: (@Sendable (Timestamp) -> Void)?
        /// The temporary failure of writes, and the lasting damage.
        var trouble: StoreCondition?
        var damage: String?
        /// Why no new jobs are taken, since there is too little space.
        var shortage: JobStoreError?
        var conditionObserver: (@Sendable (StoreCondition) -> Void)?
        var arrivals: JobArrivals?
        var isClosed = false
        var hasEnded = false
        var waitingForEnd: [@Sendable () -> Void] = []
    }

    private let notices = Mutex(Notices())

    /// The counts after the last commit.
    var tally: Tally {
        get { notices.withLock { $0.tally } }
        set { notices.withLock { $0.tally = newValue } }
    }

    /// An observer of commits. A bare function would be wrapped twice, in memory of its own, at each reading.
    struct CommitObserver: Sendable {
        let expect: @Sendable ([JobChange]) -> Void
        let tell: @Sendable ([JobChange]) -> Void
    }

    /// The observer of commits.
    var observer: CommitObserver? {
        get { notices.withLock { $0.observer } }
        set { notices.withLock { $0.observer = newValue } }
    }

    /// The observer of lines of which a job may begin.
    var openingObserver: (@Sendable (Timestamp) -> Void)? {
        get { notices.withLock { $0.openingObserver } }
        set { notices.withLock { $0.openingObserver = newValue } }
    }

    /// The leases of owners. They are not stored: the directory is locked by one process, and when it ends all its
    /// owners are dead.
    let leases = Mutex(OwnerLeases())

    /// The number of changes of settings by this process, the only one that can change them.
    let settingsVersion = Atomic<Int64>(0)

    /// Counts changes of settings, after their commit and before their replies.
    func noteSettings(_ changes: Int64) {
        settingsVersion.wrappingAdd(changes, ordering: .acquiringAndReleasing)
    }

    /// The runner that takes new jobs as they are stored; nil when its lease is lost.
    var arrivals: JobArrivals? {
        get {
            let arrivals = notices.withLock { $0.arrivals }
            return arrivals.flatMap { arrivals in
                leases.withLock { $0.holds(arrivals.owner) } ? arrivals : nil
            }
        }
        set { notices.withLock { $0.arrivals = newValue } }
    }

    // MARK: Condition

    var condition: StoreCondition { notices.withLock { Self.condition($0) } }

    private static func condition(_ notices: Notices) -> StoreCondition {
        notices.trouble ?? notices.damage.map { .damaged($0) } ?? notices.shortage.map { .low($0.detail) }
            ?? .sound
    }

    /// Sets the temporary failure of writes; nil when it is over.
    func note(trouble: StoreCondition?) { change { $0.trouble = trouble } }

    /// Sets why no new jobs are taken; nil when they are.
    func note(shortage: JobStoreError?) { change { $0.shortage = shortage } }

    /// Records lasting damage. The first one found is kept.
    func note(damage: String) { change { $0.damage = $0.damage ?? damage } }

    func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void) {
        notices.withLock { $0.conditionObserver = observer }
    }

    private func change(_ body: (inout Notices) -> Void) {
        let (observer, new) = notices.withLock { notices in
            let old = Self.condition(notices)
            body(&notices)
            let new = Self.condition(notices)
            return (new == old ? nil : notices.conditionObserver, new)
        }
        observer?(new)
    }

    // MARK: Readers

    /// Held while the database is being reopened from nothing, and while a reader opens: see `StoreWriter.openAnew`.
    private let gate = Mutex<[WeakReader]>([])

    private struct WeakReader: Sendable {
        weak var reader: SQLiteJobReader?
    }

    /// Opens a reader's connection, but not while all are closed to reopen the database.
    func whileOpening<Failure: Error>(
        _ reader: SQLiteJobReader, _ open: () throws(Failure) -> Void
    ) throws(Failure) {
        let result = gate.withLock { readers in
            if !readers.contains(where: { $0.reader === reader }) {
                readers.removeAll { $0.reader == nil }
                readers.append(WeakReader(reader: reader))
            }
            return Result { () throws(Failure) in try open() }
        }
        try result.get()
    }

    /// Closes the connections of all readers and runs `work`; readers open again on their next read.
    func withoutReaders<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) {
        let result = gate.withLock { readers in
            for reader in readers { reader.reader?.suspend() }
            return Result { () throws(Failure) in try work() }
        }
        try result.get()
    }

    /// Closes the connections of all readers for good. After `close`.
    func closeReaders() {
        gate.withLock { readers in
            for reader in readers { reader.reader?.suspend() }
        }
    }

    // MARK: Long reads

    private let longReads = Atomic<Int>(0)
    private let stopsLongReads = Atomic(false)

    /// Whether long reads must end early, because the database is to be reopened or the store closes.
    var endsLongReads: Bool { stopsLongReads.load(ordering: .acquiring) || isClosed }

    /// Runs a long read on a separate connection.
    func readingLong<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        longReads.wrappingAdd(1, ordering: .acquiringAndReleasing)
        defer { longReads.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
        return try body()
    }

    /// Asks long reads to end. Returns whether there are none. They may begin again after `allowLongReads`.
    func stopLongReads() -> Bool {
        stopsLongReads.store(true, ordering: .releasing)
        return longReads.load(ordering: .acquiring) == 0
    }

    func allowLongReads() { stopsLongReads.store(false, ordering: .releasing) }

    // MARK: The end

    var isClosed: Bool { notices.withLock { $0.isClosed } }

    func close() { notices.withLock { $0.isClosed = true } }

    /// Records the end of the writer, and notifies those waiting for it.
    func end() {
        let waiting = notices.withLock { notices in
            notices.hasEnded = true
            defer { notices.waitingForEnd = [] }
            return notices.waitingForEnd
        }
        for tell in waiting { tell() }
    }

    /// Calls `tell` when the writer has ended, at once if it has already.
    func whenEnded(_ tell: @escaping @Sendable () -> Void) {
        let isOver = notices.withLock { notices in
            if !notices.hasEnded { notices.waitingForEnd.append(tell) }
            return notices.hasEnded
        }
        if isOver { tell() }
    }
}
