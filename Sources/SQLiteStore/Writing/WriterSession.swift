import JobKit
import JobStore

/// The write connection with its statements and counts, from one opening to the next. Used by the writer thread only,
/// always inside a transaction.
final class WriterSession {
    let connection: SQLiteConnection
    private let beginNow, commitNow, rollbackNow, putTally, putProbe: SQLiteStatement
    let jobs: JobTable
    let specs: SpecTable
    let journals: JournalTable
    let results: ResultTable
    let keys: IdempotencyTable
    let uniques: UniqueTable
    let wakes: WakeTable
    let holds: HoldTable
    let callbacks: CallbackTable
    let approvals: ApprovalTable
    let artifacts: ArtifactTable
    let grants: GrantTable
    let templates: TemplateTable
    let settings: SettingTable
    let validators: ValidatorTable
    let limits: StoreLimits
    var tally = Tally()
    /// The changes of the open transaction.
    private(set) var changes: [JobChange] = []
    private var tallyBefore = Tally()
    /// The jobs in flight as they stand in the table, so that their runs' updates need not read them.
    private var held: [JobID: StoredJob] = [:]
    /// Whether the rows of new jobs are gathered in the open transaction.
    private(set) var gathersRows = false
    /// The jobs that the open transaction claimed as it stored them.
    let arrived = ArrivalClaims()

    /// Opens the database at `path` for writing, makes it when it is missing and brings it to the newest shape.
    init(path: String, options: SQLiteOptions) throws(SQLiteFailure) {
        connection = try .forWriting(path, options)
        limits = options.limits
        beginNow = try connection.prepare("BEGIN IMMEDIATE")
        commitNow = try connection.prepare("COMMIT")
        rollbackNow = try connection.prepare("ROLLBACK")
        putTally = try connection.prepare("INSERT OR REPLACE INTO tally VALUES (?1, ?2)")
        putProbe = try connection.prepare("UPDATE probe SET writes = writes + 1 WHERE number = 1")
        jobs = try JobTable(connection)
        specs = try SpecTable(connection)
        journals = try JournalTable(connection)
        results = try ResultTable(connection)
        keys = try IdempotencyTable(connection)
        uniques = try UniqueTable(connection)
        wakes = try WakeTable(connection)
        holds = try HoldTable(connection)
        callbacks = try CallbackTable(connection)
        approvals = try ApprovalTable(connection)
        artifacts = ArtifactTable(connection)
        grants = try GrantTable(connection, countMax: limits.grantsMax)
        templates = TemplateTable(connection: connection, countMax: limits.templatesMax)
        settings = SettingTable(connection: connection, countMax: limits.settingsMax)
        validators = ValidatorTable(connection: connection, countMax: limits.validatorsMax)
        try restoreTally()
    }

    private func restoreTally() throws(SQLiteFailure) {
        let rows = try connection.prepare("SELECT state, jobs FROM tally")
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
    /// - Parameter gathersRows: whether the rows of new jobs are inserted several at a time. One that is refused then
    ///   spoils the transaction; when they are not gathered, it is answered for itself.
    func begin(gathersRows: Bool = false) throws(SQLiteFailure) {
        tallyBefore = tally
        self.gathersRows = gathersRows
        changes = []
        try beginNow.run()
    }

    /// Makes all changes since `begin` durable, or throws, and then none of them was made.
    func commit() throws(SQLiteFailure) {
        try insertRows()
        for state in tally.changedStates {
            putTally.bind(1, state.stored)
            putTally.bind(2, Int64(tally[state]))
            try putTally.run()
        }
        try commitNow.run()
        tally.forgetChanges()
    }

    /// Takes back all changes since `begin`.
    func rollback() {
        jobs.rollback()
        specs.rollback()
        journals.rollback()
        if connection.isInTransaction { try? rollbackNow.run() }
        tally = tallyBefore
        changes = []
        held = [:]
        arrived.rollback()
    }

    /// Remembers a job in flight, and forgets any other.
    func remember(_ job: StoredJob) {
        if job.owner != nil {
            held[job.record.id] = job
        } else if !held.isEmpty {
            held[job.record.id] = nil
            journals.forgetEnd(of: job.number)
        }
    }

    // MARK: Jobs

    /// The job with this id, or nil.
    func job(_ id: JobID) throws(SQLiteFailure) -> StoredJob? {
        try insertRows()
        if let job = held[id] { return job }
        return try jobs.job(id)
    }

    /// The job with this number, or nil.
    func job(number: Int64) throws(SQLiteFailure) -> StoredJob? {
        try insertRows()
        return try jobs.job(number: number)
    }

    /// Inserts the rows that are gathered. To be called before anything else is done with the tables of jobs and specs.
    func insertRows() throws(SQLiteFailure) {
        try jobs.insertRows()
        try specs.insertRows()
    }

    /// Writes a job back after a move that began in `before`.
    func save(_ job: StoredJob, from before: JobRecord) throws(SQLiteFailure) {
        var job = job
        if job.record.state.isFinal && !job.flags.isEmpty { try removeRows(of: &job) }
        try jobs.save(job)
        remember(job)
        account(job, from: before)
    }

    /// Counts a move, and notes it for the observer when it can be seen.
    func account(_ job: StoredJob, from before: JobRecord) {
        if before.state != job.record.state {
            tally.add(before.state, -1)
            tally.add(job.record.state, 1)
        }
        tally.noteDue(job.record.dueAt)
        if before.revision != job.record.revision { note(job) }
        if before.state == .queued, job.owner == nil { _ = specs.fresh.take(job.number) }
    }

    /// Notes a change for the observer.
    func note(_ job: StoredJob) { changes.append(job.change) }

    /// Erases a job and everything about it.
    func remove(_ job: StoredJob) throws(SQLiteFailure) {
        let number = job.number
        try jobs.remove(job)
        try specs.remove(of: number)
        try results.remove(of: number)
        try journals.remove(of: number)
        if let key = job.idempotencyKey { try keys.keep(key, of: job) }
        if job.flags.contains(.approval) { try approvals.remove(of: number) }
        if job.flags.contains(.artifact) { try artifacts.remove(of: number) }
        if job.flags.contains(.unique) { try uniques.remove(of: number) }
        if !job.flags.isDisjoint(with: .anyCallback) { try callbacks.remove(of: number) }
        held[job.record.id] = nil
        tally.add(job.record.state, -1)
        changes.append(JobChange(id: job.record.id, state: nil, revision: job.record.revision))
    }

    /// A write that changes nothing anybody can see.
    func probe() throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        try putProbe.run()
        return .success(())
    }
}
