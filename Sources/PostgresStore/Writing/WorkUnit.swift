import JobKit
import JobSpec
import JobStore
import StrictJSON

// DESIGN
// A group of writes is one transaction, and a unit of work: the jobs that its writes name are loaded and locked
// together, each write moves them in memory, as `StoredJob` decides, and the changes are written at the end, in one
// statement for each table, whatever the number of jobs. Rows of the other tables are written at once, since few writes
// have any.
//
// Servers wait for each other's locks in one order, so never in a circle:
// 1. the row of the server, shared;
// 2. whole tables: settings, templates, schedules, bulk actions (`WriteNeeds.Whole`), then schedules and bulk actions;
// 3. queues with a maximum, idempotency keys, lines of unique and exclusive keys;
// 4. tickets, then ended jobs: copies that the group may write together with those that it reads;
// 5. grants, ends with callbacks, content;
// 6. leases, and rows that belong to a locked job, key or queue;
// 7. at the end ends with callbacks, validators, the number of the last change by a person.
// `begin` locks 2 to 5 from what the writes say they need, each list in its order. A write that finds out later that it
// needs a job, a queue or a line takes it only when it is there and free (SKIP LOCKED): otherwise the group runs again,
// and locks it in its place (`heldElsewhere`). What looks for work takes what is free, and what counts ends passes when
// another server does. A group of nothing but updates of runs and submissions writes copies without locking them first:
// one statement changes them, in the order of their ids.

/// The state of one group of writes, with the tables that it uses. Used by the writer thread only.
final class WorkUnit {
    let connection: PostgresConnection
    let tables: StoreTables
    let leases: LeaseTable
    let touched: TouchedJobs
    let keys: KeyClaims
    let lines: QueueLines
    let limits: StoreLimits
    /// The jobs that the transaction claims as it stores them.
    let arrived = ArrivalClaims()
    /// The records of changes by people in the open transaction.
    private var newAudits: [AuditRecord] = []
    /// The ends of jobs whose callbacks are to be stored, and nil for jobs that go on again.
    private var ends: [JobID: StoredJob?] = [:]
    /// The validators that it remembers.
    private var validators: [ByteKey: ValidatorTable.Row] = [:]
    /// The starts of scans for work.
    private(set) var starts: ScanStarts
    /// The number of changes of settings in the group.
    private(set) var settingsChanges: Int64 = 0
    /// Makes the numbers of jobs.
    var numbers: JobNumbers
    /// The changes of the open transaction.
    private(set) var news = CommitNews()
    /// The counts of jobs before it.
    private var countsBefore = JobCounts()
    /// Whether jobs were claimable when the transaction began, as far as it had to look, and became so in it.
    var claimable: Claimable?
    var claimableMade = Claimable()
    /// The time at which the runner should ask for a claim again.
    var asksAgain: Timestamp?
    /// The tenants of which a job may be ready.
    let tenants: WaitingTenants

    /// Whether a job may be claimed at once, and the first date at which one may be.
    struct Claimable {
        /// Whether one without a tenant may be.
        var isReady = false
        /// Whether one of a tenant may be.
        var hasTenants = false
        var firstDue: Timestamp?
        /// Tenants whose jobs were made in the transaction; of what was stored before, tenants that have none.
        var tenants: Set<Tenant> = []

        mutating func note(_ job: StoredJob) {
            if job.isInLine { return }
            if let due = job.record.dueAt { firstDue = min(firstDue ?? due, due) }
            guard job.readyAt != nil else { return }
            guard let tenant = job.record.tenant else { return isReady = true }
            hasTenants = true
            tenants.insert(tenant)
        }

        func isNoneDue(at now: Timestamp) -> Bool { firstDue.map { $0 > now } ?? true }
    }

    /// - Parameter starts: those of the connection before, which hold on: what the server wrote since is noted in them,
    ///   whether it was stored or not.
    init(
        _ connection: PostgresConnection, options: PostgresOptions, numbers: JobNumbers, starts: ScanStarts,
        tenants: WaitingTenants
    ) {
        self.connection = connection
        self.tenants = tenants
        self.starts = starts
        self.numbers = numbers
        limits = options.limits
        tables = StoreTables(connection)
        touched = TouchedJobs(tables)
        keys = KeyClaims(tables.keys)
        lines = QueueLines(tables)
        leases = LeaseTable(connection, usesDatabaseClock: options.usesDatabaseClock)
    }

    // MARK: The group

    /// Begins a group, in a transaction that has begun.
    /// - Parameter checksIDs: whether the ids of new jobs are looked up, because one of them may be taken.
    func begin(
        _ needs: WriteNeeds, _ board: PostgresBoard, checksIDs: Bool
    ) throws(PostgresFailure) {
        rollback()
        countsBefore = board.jobCounts
        arrived.arrivals = board.arrivals
        try starts.look(tables.dispatch.firsts)
        starts.note(board.takeFirsts())
        tenants.note(board.takeTenants())
        touched.forgetCopies(of: board.takeChanged())
        try tables.lockFirst(needs)
        try lines.begin(board)
        try lines.prepare(for: needs.submissions, isFirst: true)
        let loaded = needs.ids + touched.takeCopies(of: needs.runs.map(\.id), besides: needs.ids)
        var ids = loaded + (try keys.take(for: needs.submissions))
        if checksIDs { ids += needs.submissions.map { $0.record.id } }
        let lines =
            needs.submissions.compactMap { $0.unique?.key } + needs.keys.map(KeyLineTable.lockName)
            + needs.deliveries + (try tables.lines.names(of: loaded))
        try tables.lines.lockFirst(lines)
        try touched.loadFirst(ids)
        if needs.locksAfterJobs {
            try touched.lockCopies()
            try tables.lockLast(needs)
        }
    }

    /// Keeps what the group learnt. After the commit.
    func committed() {
        touched.committed()
        tables.lines.committed()
        lines.committed()
    }

    /// Forgets everything about the last group.
    func rollback() {
        arrived.rollback()
        tables.lines.begin()
        touched.rollback()
        lines.rollback()
        keys.rollback()
        news = CommitNews()
        settingsChanges = 0
        newAudits = []
        ends = [:]
        validators = [:]
        claimable = nil
        asksAgain = nil
        claimableMade = Claimable()
    }

    /// Writes everything that is left. At the end of the transaction.
    func finish() throws(PostgresFailure) {
        try touched.flush()
        try LineDispatch(unit: self).claimNext()
        try touched.flush()
        try writeEnds()
        try keys.finish()
        try tables.validators.put(validators, countMax: limits.validatorsMax)
        try tables.lines.finish()
        // Last, since other servers that record changes wait for this one from then on.
        try tables.audits.add(newAudits)
    }

    // MARK: Jobs

    /// Adds a new job.
    func add(_ job: StoredJob, _ new: NewJob) {
        touched.add(job, new, isLimited: job.isInLine || lines.counts(job))
        starts.note(job)
        lines.note(job, from: nil)
        noteClaimable(job)
        news.counts.add(1, to: job.record.state)
        news.changes.append(job.change)
    }

    /// Writes a job back after a transition from `before`.
    func save(_ job: StoredJob, from before: JobRecord) throws(PostgresFailure) {
        var job = job
        if job.record.state.isFinal && !job.flags.isEmpty { try removeRows(of: &job) }
        job.isInLine = lines.hold(job)
        touched.put(job, isLimited: job.isInLine || lines.counts(job))
        starts.note(job)
        lines.note(job, from: before)
        noteClaimable(job)
        if before.state != job.record.state {
            news.counts.add(-1, to: before.state)
            news.counts.add(1, to: job.record.state)
        }
        news.note(job.record, from: before)
        if before.revision != job.record.revision {
            news.changes.append(job.change)
        } else {
            noteEntries(of: job)
        }
    }

    /// Erases a job that the group has not changed.
    func drop(_ job: StoredJob) {
        touched.remove(job)
        news.counts.add(-1, to: job.record.state)
        news.changes.append(.erasure(of: job.record))
    }

    /// Removes the rows of an ended job.
    private func removeRows(of job: inout StoredJob) throws(PostgresFailure) {
        let id = job.record.id
        if job.flags.contains(.wake) { try tables.wakes.remove(of: id) }
        if job.flags.contains(.hold) {
            try freeKeys(of: id, at: job.record.finishedAt ?? job.record.createdAt)
        }
        if job.flags.contains(.approval), let end = job.record.finishedAt {
            try tables.approvals.withdraw(of: job, at: nil, end)
        }
        if job.flags.contains(.unique) { try leaveLine(job) }
        if job.flags.contains(.summary) { try tables.jobs.delete([id], from: "summary") }
        if job.hasCallback { note(end: job, of: id) }
        job.flags.formIntersection(.lasting)
    }

    /// Notes the end of a job with callbacks, or nil for a job that goes on again.
    func note(end: StoredJob?, of id: JobID) { ends.updateValue(end, forKey: id) }

    /// Whether the group changed the end of a job.
    func hasEnd(of id: JobID) -> Bool { ends[id] != nil }

    /// Writes the ends of jobs with callbacks, after the jobs.
    func writeEnds() throws(PostgresFailure) {
        try tables.callbacks.put(ends)
        ends = [:]
    }

    /// Notes an addition to a journal.
    func noteEntries(of job: StoredJob) { news.changes.append(.entries(of: job.record)) }

    /// Notes a request to a job in flight, for the server that runs it. The caller notifies a run of this server.
    func note(_ request: RunRequest) { news.requests.append(request) }

    /// Notes messages of this server to the others.
    func note(_ messages: [ServerMessage]) { news.messages += messages }

    func configure(_ queue: String, _ spec: QueueSpec?) throws(PostgresFailure) {
        try touched.flush()
        try lines.configure(queue, spec, leases) { ids throws(PostgresFailure) in try touched.load(ids) }
    }

    func noteSettings() throws(PostgresFailure) {
        news.changesSettings = true
        settingsChanges += 1
        try connection.run("UPDATE \(connection.address.schema).epoch SET settings = settings + 1")
    }

    /// Remembers a validator, at the end of the group.
    func remember(_ validator: AnswerValidator, for key: String) {
        validators[ByteKey(key)] = ValidatorTable.Row(
            validator: validator, number: numbers.next(at: SystemClock().now))
    }

    /// Records a change by a person.
    func add(_ record: AuditRecord) { newAudits.append(record) }

    /// The number of jobs that are not finished.
    var unfinished: Int { countsBefore.unfinished + news.counts.unfinished }

    /// Whether a job may be ready, as far as the server has heard: what is ready is queued or `cancelling`.
    var hasQueued: Bool {
        [.queued, .cancelling].contains { countsBefore.count(of: $0) + news.counts.count(of: $0) != 0 }
    }

    // MARK: Arrivals

    /// Finds out whether new jobs may be claimed as they are stored; see `ArrivalClaims`.
    func prepareArrivals() throws(PostgresFailure) {
        guard let arrivals = arrived.arrivals, claimable == nil else { return }
        var version: Int64?
        try touched.lockCopies()
        try leases.holdLater(arrivals.owner) { version = $0 }
        // What the group has claimed is not claimable any more.
        try touched.flush()
        let next = try tables.dispatch.next(since: starts)
        if let version { try lines.refresh(to: version) } else { arrived.arrivals = nil }
        claimable = Claimable(isReady: next.isReady, hasTenants: next.hasTenants, firstDue: next.due)
    }

    /// Whether no job in no line is claimable at a time. After `prepareArrivals`.
    func isAlone(at now: Timestamp) -> Bool {
        [claimable, claimableMade].allSatisfy { found in
            found.map { !$0.isReady && !$0.hasTenants && $0.isNoneDue(at: now) } ?? false
        }
    }

    /// Follows a job that may have become claimable.
    private func noteClaimable(_ job: StoredJob) {
        claimableMade.note(job)
        if job.isInLine { return }
        if job.readyAt != nil, let tenant = job.record.tenant { tenants.note(tenant) }
        if let time = job.claimableAt { news.note(claimableAt: time) }
    }
}
