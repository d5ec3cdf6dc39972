import JobKit
import JobStore

/// The write connection with its statements and counts, from one opening to the next. Used by the writer thread only,
/// always inside a transaction.
final class WriterSession {
    let connection: SQLiteConnection
    private let beginNow, commitNow, rollbackNow, putTally, putProbe, countFree: SQLiteStatement
    let jobs: JobTable
    let specs: SpecTable
    let journals: JournalTable
    let results: ResultTable
    let keys: IdempotencyTable
    let uniques: UniqueTable
    let wakes: WakeTable
    let holds: HoldTable
    let suspects: SuspectTable
    let callbacks: CallbackTable
    let approvals: ApprovalTable
    let artifacts: ArtifactTable
    let grants: GrantTable
    let templates: TemplateTable
    let settings: SettingTable
    let lines: QueueLines
    let validators: ValidatorTable
    let closings: ClosingTable
    let schedules: ScheduleTable
    let bulks: BulkTable
    let uploads: UploadTable
    let deliveries: DeliveryTable
    let standings: StandingTable
    let audits: AuditTable
    let stats: StatsTable
    let limits: StoreLimits
    /// The length of the database's pages.
    let pageBytes: Int
    /// Why no new jobs are taken, since there is too little space; nil when they are.
    var shortage: JobStoreError?
    var tally = Tally()
    /// The changes of the open transaction.
    var changes: [JobChange] = []
    /// Whether the open transaction erases content, which is then to leave the files soon.
    var erases: Bool { hasErased || stats.hasErased }
    var hasErased = false
    /// The number of changes of settings in the open transaction.
    var settingsChanges: Int64 = 0
    private var tallyBefore = Tally()
    /// The jobs in flight as stored, so that the updates of their runs need not read them.
    private var held: [JobID: StoredJob] = [:]
    /// Whether the rows of new jobs may be gathered in the open transaction, and whether they are at the moment.
    private(set) var mayGatherRows = false
    var gathersRows = false
    /// The jobs that the open transaction claimed as it stored them.
    let arrived: ArrivalClaims
    /// The new jobs of the open transaction whose rows wait for the ends of their runs.
    var firstRuns = FirstRuns()
    /// Whose turn it is among the jobs in no line.
    var turns = TenantTurns()

    /// Opens the database at `path` for writing, creates it when missing, and migrates it to the newest schema.
    /// - Parameter arrived: the claims of the session before.
    init(
        path: String, options: SQLiteOptions, arrived: ArrivalClaims = ArrivalClaims()
    ) throws(SQLiteFailure) {
        self.arrived = arrived
        connection = try .forWriting(path, options)
        limits = options.limits
        pageBytes = Int(try connection.number("PRAGMA page_size") ?? 4_096)
        beginNow = try connection.prepare("BEGIN IMMEDIATE")
        commitNow = try connection.prepare("COMMIT")
        rollbackNow = try connection.prepare("ROLLBACK")
        putTally = try connection.prepare("INSERT OR REPLACE INTO tally VALUES (?1, ?2)")
        putProbe = try connection.prepare("UPDATE probe SET writes = writes + 1 WHERE number = 1")
        countFree = try connection.prepare("PRAGMA freelist_count")
        jobs = try JobTable(connection)
        specs = try SpecTable(connection)
        journals = try JournalTable(connection)
        results = try ResultTable(connection)
        keys = try IdempotencyTable(connection)
        uniques = try UniqueTable(connection, jobs)
        wakes = try WakeTable(connection)
        holds = try HoldTable(connection)
        suspects = try SuspectTable(connection)
        callbacks = try CallbackTable(connection)
        approvals = try ApprovalTable(connection)
        artifacts = ArtifactTable(connection)
        grants = try GrantTable(connection)
        templates = TemplateTable(connection: connection)
        settings = SettingTable(connection: connection)
        lines = try QueueLines(connection, jobs, settings)
        closings = ClosingTable(connection: connection)
        validators = ValidatorTable(connection: connection, countMax: limits.validatorsMax)
        schedules = ScheduleTable(connection: connection)
        audits = AuditTable(connection: connection)
        stats = try StatsTable(connection)
        bulks = BulkTable(connection: connection)
        uploads = UploadTable(connection: connection, artifacts: artifacts)
        deliveries = try DeliveryTable(connection)
        standings = try StandingTable(connection)
        try restoreTally()
        try lines.begin()
    }

    private func restoreTally() throws(SQLiteFailure) {
        let rows = try connection.prepare(Tally.query)
        while try rows.step() {
            if let state = JobState(stored: rows.integer(0)) {
                tally.restore(state, count: Int(rows.integer(1)))
            }
        }
        tally.nextNumber = (try connection.number("SELECT max(number) FROM job") ?? 0) + 1
        tally.nothingDueBefore = try jobs.firstDueAt()
    }

    // MARK: Transactions

    /// Begins a transaction.
    /// - Parameter gathersRows: whether the rows of new jobs are inserted several at a time. A refused row then fails
    ///   the transaction; otherwise it fails only its own command.
    func begin(gathersRows: Bool = false) throws(SQLiteFailure) {
        tallyBefore = tally
        mayGatherRows = gathersRows
        self.gathersRows = gathersRows
        changes = []
        hasErased = false
        settingsChanges = 0
        // Before the transaction: without one, the rollback goes back to the same place.
        stats.begin()
        try beginNow.run()
        try lines.begin()
    }

    /// Makes all changes since `begin` durable, or throws and makes none.
    /// - Parameter expect: called with the changes of jobs before they can be read.
    func commit(expecting expect: ([JobChange]) -> Void = { _ in }) throws(SQLiteFailure) {
        try insertRows()
        tally.age()
        for (state, jobs) in tally.toStore {
            putTally.bind(1, state)
            putTally.bind(2, jobs)
            try putTally.run()
        }
        try lines.commit()
        if !changes.isEmpty { expect(changes) }
        try commitNow.run()
        tally.forgetChanges()
    }

    /// Rolls back all changes since `begin`.
    func rollback() {
        jobs.rollback()
        specs.rollback()
        firstRuns.removeAll()
        journals.rollback()
        if connection.isInTransaction { try? rollbackNow.run() }
        tally = tallyBefore
        changes = []
        held = [:]
        lines.rollback()
        stats.rollback()
        arrived.rollback()
    }

    /// Caches a job in flight, and evicts any other.
    func remember(_ job: StoredJob) {
        lines.note(job)
        if job.owner != nil {
            held[job.record.id] = job
        } else if !held.isEmpty {
            held[job.record.id] = nil
            journals.forgetEnd(of: job.number)
        }
    }

    // MARK: Jobs

    func job(_ id: JobID) throws(SQLiteFailure) -> StoredJob? {
        if let job = held[id] { return job }
        try insertRows()
        return try jobs.job(id)
    }

    func job(number: Int64) throws(SQLiteFailure) -> StoredJob? {
        try insertRows()
        return try jobs.job(number: number)
    }

    /// Inserts the rows of jobs that may run first, and the gathered rows. Must precede any other use of the tables of
    /// jobs and specs.
    func insertRows() throws(SQLiteFailure) {
        if !firstRuns.isEmpty { try insertFirstRuns() }
        try insertGathered()
    }

    /// Inserts the gathered rows.
    func insertGathered() throws(SQLiteFailure) {
        try jobs.insertRows()
        try specs.insertRows()
    }

    /// Writes a job back after a transition from `before`.
    func save(_ job: StoredJob, from before: JobRecord) throws(SQLiteFailure) {
        var job = job
        if job.record.state.isFinal && !job.flags.isEmpty { try removeRows(of: &job) }
        let waits = job.record.state.isSuspended ? WaitKinds(job.record.detail.values.waits) : []
        if !waits.isEmpty { job.flags.insert(.waits) }
        let wasInLine = job.isInLine
        job.isInLine = lines.hold(job)
        if !firstRuns.isEmpty {
            if job.record.state.isFinal, let place = firstRuns.end(job) {
                try stats.follow(job.record, from: before)
                remember(job)
                tally.move(before.state, to: job.record.state, of: job.number)
                changes[place] = job.change
                return
            }
            try insertFirstRuns()
        }
        try jobs.save(job, from: before)
        try stats.follow(job.record, from: before)
        if !waits.isEmpty { try jobs.save(waits: waits, of: job.number) }
        try lines.follow(job, wasInLine: wasInLine)
        remember(job)
        account(job, from: before)
    }

    /// Counts a transition, and records it for the observer if it is visible.
    func account(_ job: StoredJob, from before: JobRecord) {
        tally.move(before.state, to: job.record.state, of: job.number)
        tally.noteDue(job.record.dueAt)
        changes.append(before.revision == job.record.revision ? .entries(of: job.record) : job.change)
        if before.state == .queued, job.owner == nil { _ = specs.fresh.take(job.number) }
    }

    /// The number of pages of the database that hold nothing.
    func freePages() throws(SQLiteFailure) -> Int {
        defer { countFree.reset() }
        return try countFree.step() ? Int(countFree.integer(0)) : 0
    }

    /// Erases a job with all its data.
    func remove(_ job: StoredJob) throws(SQLiteFailure) {
        let number = job.number
        try stats.noteLoss(of: job.record)
        try jobs.remove(job)
        try specs.remove(of: number)
        try results.remove(of: number)
        try journals.remove(of: number)
        if let key = job.idempotencyKey { try keys.keep(key, of: job) }
        if job.flags.contains(.approval) { try approvals.remove(of: number) }
        if job.flags.contains(.artifact) { try artifacts.remove(of: number) }
        if job.flags.contains(.unique) { try uniques.remove(of: number) }
        if job.flags.contains(.upload) { try uploads.release(by: number) }
        if job.flags.contains(.callbacks) { try standings.remove(of: number) }
        if !job.flags.isDisjoint(with: .anyCallback) { try callbacks.remove(of: number) }
        held[job.record.id] = nil
        hasErased = true
        tally.add(job.record.state, -1, of: number)
        changes.append(.erasure(of: job.record))
    }

    /// Removes the rows of an ended job.
    private func removeRows(of job: inout StoredJob) throws(SQLiteFailure) {
        if job.flags.contains(.wake) { try wakes.remove(of: job.number) }
        if job.flags.contains(.waits) { try jobs.save(waits: nil, of: job.number) }
        if job.flags.contains(.hold) { try holds.remove(of: job.number) }
        if job.flags.contains(.approval), let end = job.record.finishedAt {
            try approvals.withdraw(of: job, at: nil, end)
        }
        if job.flags.contains(.unique) { try leaveLine(job) }
        if job.flags.contains(.summary) { try journals.removeSummary(of: job.number) }
        if job.hasCallback { try callbacks.add(job) }
        job.flags.formIntersection(.lasting)
    }

    /// Makes a write without a visible effect.
    func probe() throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        try putProbe.run()
        return .success(())
    }
}
