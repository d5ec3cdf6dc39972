import JobKit
import JobSpec
import JobStore
import Synchronization

/// The queues with a configuration, as a server knows them, and which of them may have a job that can begin. Used by
/// the writer thread only, always inside a transaction.
final class QueueLines {
    /// The facts that a failed transaction takes back.
    private struct State {
        var specs: [String: QueueSpec] = [:]
        /// The queues without a configuration that may still have lines, and the time since when.
        var draining: [String: ContinuousClock.Instant] = [:]
        /// The number of the last known change of settings, and that of configurations of queues.
        var settingsVersion: Int64 = -1
        var version: Int64 = -1
        /// The queues of which a job may be able to begin.
        var awake: Set<String> = []
        /// Others that a rate holds back, with the times at which it may let a job begin.
        var alarms: [String: Timestamp] = [:]
        /// The last turn of each queue, of the jobs of each tenant in no line, and of all.
        var turns: [String: Int64] = [:]
        var turnsOfOthers: [Tenant?: Int64] = [:]
        var lastTurn: Int64 = 0
    }

    private let tables: StoreTables
    private var state = State()
    private var saved = State()
    /// The queues whose lines the transaction changed, or of which a job ended.
    private(set) var touched: Set<String> = []
    /// The number of jobs that entered lines or ended.
    private(set) var touchedCount = 0
    private var hasDecided = false
    /// The time until queues that are still awake are tried again.
    private var pause = Duration.zero
    /// The decisions of the transaction that let jobs begin which count for rates.
    private var decided: [QueueGate] = []
    /// The numbers of waiting jobs of queues with a maximum, in the transaction.
    private var waiting: [String: Int] = [:]
    /// The queues that the group has to lock first when it runs again, since another server held them.
    private var awaited: Set<String> = []
    private var nextFullLook = ContinuousClock.now
    /// The time until all queues are looked at, so that a change that was missed is found.
    private static let fullLookEvery = Duration.seconds(1)
    /// The number of queues that one claim looks at.
    private static let awakeMax = 64
    /// The time until every server knows that a configuration is gone.
    private static let drainsFor = Duration.seconds(60)
    /// The time until a queue is tried again about which another server was deciding.
    static let lockPause = Duration.milliseconds(10)
    /// The time until further keys are looked at when those of one round were all at a limit.
    static let vainPause = Duration.milliseconds(100)

    init(_ tables: StoreTables) { self.tables = tables }

    // MARK: Transactions

    func begin(_ board: PostgresBoard) throws(PostgresFailure) {
        rollback()
        let version = board.settingsVersion.load(ordering: .acquiring)
        if version != state.settingsVersion {
            try refresh()
            state.settingsVersion = version
        }
        // What other servers did happened even if the transaction fails.
        let woken = board.takeAwake()
        saved.awake.formUnion(woken)
        state.awake.formUnion(woken)
    }

    func committed() {
        saved = state
        awaited = []
    }

    func rollback() {
        state = saved
        touched = []
        touchedCount = 0
        waiting = [:]
        decided = []
        hasDecided = false
        pause = .zero
    }

    /// The time from which a job may begin that waits in a line, after a commit that may have changed it.
    /// - Parameter isPassed: whether the lines of a tenant are passed over; nil when those of none are.
    func opening(passing isPassed: ((Tenant?) -> Bool)?) -> Timestamp? {
        guard !isIdle, !touched.isEmpty || hasDecided else { return nil }
        let isAsleep =
            isPassed.map { isPassed in state.awake.allSatisfy { isPassed(Tenant(ofStored: $0)) } }
            ?? state.awake.isEmpty
        if isAsleep { return firstAlarm }
        return SystemClock().now.advanced(by: pause)
    }

    /// The first time at which a rate may let a job begin.
    var firstAlarm: Timestamp? { state.alarms.values.min() }

    // MARK: Configurations

    /// Whether no queue has a configuration or a line.
    var isIdle: Bool { state.specs.isEmpty && state.draining.isEmpty }

    /// The queues with a configuration or a line.
    var names: [String] { Array(state.specs.keys) + state.draining.keys }

    /// Whether runnable jobs of a queue wait in its line.
    func governs(_ queue: String) -> Bool { state.specs[queue] != nil }

    func knows(_ queue: String) -> Bool { governs(queue) || state.draining[queue] != nil }

    func spec(of queue: String) -> QueueSpec? { state.specs[queue] }

    /// Reads the configurations again if others were stored since.
    /// - Parameter version: the number of changes, for a claim of which no other can come until its end.
    func refresh(to version: Int64) throws(PostgresFailure) {
        if version != state.version { try refresh() }
    }

    private func refresh() throws(PostgresFailure) {
        let version = try tables.queues.version()
        var specs: [String: QueueSpec] = [:]
        for record in try tables.settings.all(.queue) { specs[record.name] = QueueSpec(record) }
        let gone = try tables.queues.lined() + state.specs.keys + state.draining.keys
        for name in gone where specs[name] == nil && state.draining[name] == nil {
            state.draining[name] = .now
        }
        for name in specs.keys { state.draining[name] = nil }
        state.turns = state.turns.filter { specs[$0.key] != nil || state.draining[$0.key] != nil }
        let changed = Set(specs.keys).union(gone).filter { specs[$0] != state.specs[$0] || specs[$0] == nil }
        state.specs = specs
        state.version = version
        try tables.queues.make(names)
        for name in changed { wake(name) }
        hasDecided = true
    }

    /// Stores a new configuration, or the removal of one. No claim of any server is open meanwhile, and each that comes
    /// later knows of it.
    /// - Parameter load: locks jobs, or has the group run again.
    func configure(
        _ queue: String, _ spec: QueueSpec?, _ leases: LeaseTable,
        load: ([JobID]) throws(PostgresFailure) -> Void
    ) throws(PostgresFailure) {
        try leases.put(version: try tables.queues.raiseVersion())
        let old = state.specs[queue]
        if let spec {
            try tables.queues.make([queue])
            let running = try tables.queues.uncounted(in: queue)
            try load(running)
            try tables.queues.count(running)
            if let old, old.total.rate != spec.total.rate { try tables.queues.removeRate(of: queue) }
            if let old, old.perKey.rate != spec.perKey.rate { try tables.queues.removeKeyRates(of: queue) }
        }
        try refresh()
        touched.insert(queue)
    }

    // MARK: Jobs

    /// Whether a job belongs in a line.
    func hold(_ job: StoredJob) -> Bool { !isIdle && job.isForLine && governs(job.record.queue) }

    /// Whether a job counts against the limits of its queue.
    func counts(_ job: StoredJob) -> Bool { !isIdle && job.owner != nil && governs(job.record.queue) }

    /// Follows a job after a transition from `before`; nil for a new one.
    func note(_ job: StoredJob, from before: JobRecord?) {
        if isIdle { return }
        let queue = job.record.queue
        let wasInLine = before?.isInLine ?? false
        if job.isInLine != wasInLine { waiting[queue]? += job.isInLine ? 1 : -1 }
        let mayHaveRun = before.map { $0.state == .running || $0.state == .cancelling } ?? false
        guard job.isInLine && !wasInLine || mayHaveRun && job.owner == nil, knows(queue) else { return }
        touched.insert(queue)
        touchedCount += 1
        state.awake.insert(queue)
    }

    // MARK: Room

    /// Locks the queues in which new jobs may find no room.
    /// - Parameter isFirst: whether the group begins and waits for other servers. Later it takes what is free, or fails
    ///   with `.heldElsewhere` and runs again.
    func prepare(for jobs: [NewJob], isFirst: Bool) throws(PostgresFailure) {
        if isIdle { return }
        var names = Set(jobs.map { $0.record.queue }).filter { state.specs[$0]?.waitingMax != nil }
        if isFirst { names.formUnion(awaited) }
        if names.isEmpty { return }
        if try tables.queues.locked(Array(names), waits: isFirst).count == names.count || isFirst { return }
        awaited.formUnion(names)
        throw .heldElsewhere
    }

    /// The error of a queue that has not room for all of these jobs; nil when each has.
    func refusal(of jobs: [NewJob]) throws(PostgresFailure) -> JobStoreError? {
        if isIdle { return nil }
        var counts: [String: Int] = [:]
        for job in jobs where job.record.state == .queued {
            let queue = job.record.queue
            guard let spec = state.specs[queue], let most = spec.waitingMax else { continue }
            counts[queue, default: 0] += 1
            let known =
                if let known = waiting[queue] { known } else {
                    try tables.queues.waiting(in: queue, upTo: most + 1)
                }
            waiting[queue] = known
            if known + (counts[queue] ?? 0) > most { return .lineFull(queue, spec) }
        }
        return nil
    }

    // MARK: Decisions

    /// The queues of which a job may be able to begin, at most so many as one claim looks at; the others stay awake.
    /// - Parameter isPassed: whether the queues of a tenant are passed over, and stay awake, too.
    func takeAwake(at now: Timestamp, passing isPassed: ((Tenant?) -> Bool)?) -> [String] {
        for (name, time) in state.alarms where time <= now {
            state.alarms[name] = nil
            state.awake.insert(name)
        }
        if ContinuousClock.now >= nextFullLook {
            nextFullLook = .now + Self.fullLookEvery
            state.awake.formUnion(names)
        }
        hasDecided = true
        state.awake = state.awake.filter(knows)
        var names = Array(state.awake)
        if let isPassed { names.removeAll { isPassed(Tenant(ofStored: $0)) } }
        if names.count <= Self.awakeMax { return names }
        return Array(names.sorted { turn(of: $0) < turn(of: $1) }.prefix(Self.awakeMax))
    }

    /// Whether a job may be able to begin that waits in a line and comes before a new one of a tenant.
    func mayOpen(of tenant: Tenant?, at now: Timestamp) -> Bool {
        let isAwake = tenant.map { state.awake.contains(where: $0.owns) } ?? !state.awake.isEmpty
        return isAwake || firstAlarm.map { $0 <= now } ?? false
    }

    /// Notes that a job of a queue may be able to begin.
    func wake(_ queue: String) {
        state.awake.insert(queue)
        state.alarms[queue] = nil
    }

    /// The last turn of a queue, 0 for none.
    func turn(of queue: String) -> Int64 { state.turns[queue] ?? 0 }

    /// The last turns of the jobs of tenants that are in no line.
    var turnsOfOthers: [Tenant?: Int64] { state.turnsOfOthers }

    /// Notes that a queue had its turn; nil for a job of a tenant that is in no line.
    func noteTurn(of queue: String?, tenant: Tenant?) {
        state.lastTurn += 1
        if let queue {
            state.turns[queue] = state.lastTurn
        } else {
            state.turnsOfOthers[tenant] = state.lastTurn
        }
    }

    /// Notes that no job of a queue can begin until its lines change, one ends, or this time comes.
    func sleep(_ queue: String, until time: Timestamp?) {
        state.awake.remove(queue)
        state.alarms[queue] = time
    }

    /// Notes a decision with which jobs begin that count for rates, after the states of these were stored.
    func note(starts gate: QueueGate) { decided.append(gate) }

    /// The states of rates that count too little, since the jobs of the transaction begin at `time`, long after their
    /// claims. After the commit.
    func lateRates(at time: Timestamp) -> [(name: QueueGate.RateName, state: RateState)] {
        decided.flatMap { $0.lateRates(at: time) }
    }

    /// Notes that a queue that is still awake need not be tried before this time has passed.
    func tryAgain(after pause: Duration) { self.pause = max(self.pause, pause) }

    /// Notes that a queue has no line.
    func noteEmpty(_ queue: String) {
        sleep(queue, until: nil)
        if let since = state.draining[queue], since + Self.drainsFor < .now { state.draining[queue] = nil }
    }
}
