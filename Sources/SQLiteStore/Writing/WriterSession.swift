import JobKit
import JobStore

/// The write connection with its statements and counts, from one opening to the next. Used by the writer thread only,
/// always inside a transaction.
final class WriterSession {
    let connection: SQLiteConnection
    let statements: WriterStatements
    let people: PeopleStatements
    let uniques: UniqueStatements
    let calls: CallbackStatements
    let limits: StoreLimits
    var tally = Tally()
    /// What the open transaction changed.
    private(set) var changes: [JobChange] = []
    private var tallyBefore = Tally()
    /// The jobs in flight as they stand in the table, so that their runs' updates need not read them.
    private var held: [JobID: StoredJob] = [:]
    /// The places of the last journal entries of jobs in flight.
    private var journalEnds: [Int64: Int64] = [:]
    /// Whether the rows of new jobs are gathered in the open transaction.
    private(set) var gathersRows = false
    /// The specs of jobs that wait to be claimed for the first time.
    var freshSpecs = FreshSpecs()
    /// Who takes new jobs as they are stored, and the jobs that the open transaction claimed in that way.
    var arrivals: JobArrivals?
    private var arrived: [Claim] = []
    /// Content in files of which some job ceased to make use.
    var suspects: Set<String> = []

    /// Opens the database at `path` for writing, makes it when it is missing and brings it to the newest shape.
    init(path: String, options: SQLiteOptions) throws(SQLiteFailure) {
        connection = try SQLiteConnection(
            path: path, mode: .readWrite, fileAccess: options.fileAccess)
        limits = options.limits
        try Self.prepare(connection, options)
        statements = try WriterStatements(connection)
        people = try PeopleStatements(connection)
        uniques = try UniqueStatements(connection)
        calls = try CallbackStatements(connection)
        try restoreTally()
    }

    private static func prepare(_ connection: SQLiteConnection, _ options: SQLiteOptions)
        throws(SQLiteFailure)
    {
        try connection.execute(
            """
            PRAGMA busy_timeout = 2000;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(options.writerCacheKibibytes);
            """)
        let mode = try connection.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw .unfit("the file system does not allow a write-ahead log")
        }
        try connection.execute(
            """
            PRAGMA synchronous = \(options.sync == .full ? "FULL" : "NORMAL");
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = \(options.logBytesMax);
            """)
        let version = try connection.number("PRAGMA user_version") ?? 0
        guard version <= SQLiteMigration.newest else {
            throw .newerVersion(version)
        }
        try SQLiteMigration.run(on: connection)
        if let pages = options.pagesMax { try connection.execute("PRAGMA max_page_count = \(pages)") }
    }

    private func restoreTally() throws(SQLiteFailure) {
        let rows = try connection.prepare("SELECT state, jobs FROM tally")
        while try rows.step() {
            if let state = JobState(stored: rows.integer(0)) {
                tally.restore(state, count: Int(rows.integer(1)))
            }
        }
        tally.nextNumber = (try connection.number("SELECT max(number) FROM job") ?? 0) + 1
        tally.nothingDueBefore = try firstDue()
    }

    // MARK: Transactions

    /// Begins a transaction.
    /// - Parameter gathersRows: whether the rows of new jobs are inserted several at a time. One that is refused then
    ///   spoils the transaction; when they are not gathered, it is answered for itself.
    func begin(gathersRows: Bool = false) throws(SQLiteFailure) {
        tallyBefore = tally
        self.gathersRows = gathersRows
        changes = []
        try statements.begin.run()
    }

    /// Makes all changes since `begin` durable, or throws, and then none of them was made.
    func commit() throws(SQLiteFailure) {
        try insertRows()
        for state in tally.changedStates {
            statements.putTally.bind(1, state.stored)
            statements.putTally.bind(2, Int64(tally[state]))
            try statements.putTally.run()
        }
        try statements.commit.run()
        tally.forgetChanges()
    }

    /// Takes back all changes since `begin`.
    func rollback() {
        statements.jobRows.forget()
        statements.specRows.forget()
        if connection.isInTransaction { try? statements.rollback.run() }
        tally = tallyBefore
        changes = []
        held = [:]
        journalEnds = [:]
        freshSpecs = FreshSpecs()
        arrivals?.room.giveBack(arrived.count)
        arrived = []
    }

    // MARK: New jobs that are claimed at once

    /// Claims a new job when a runner has room for it and nobody waits before it.
    func claimOnArrival(_ job: inout StoredJob) -> Bool {
        guard let arrivals else { return false }
        return job.claim(for: arrivals) { now in
            tally[.queued] == 0 && (tally.nothingDueBefore.map { $0 > now } ?? true)
        }
    }

    /// Notes a new job that was claimed and is in the table now.
    func noteArrival(_ job: StoredJob, _ new: NewJob) {
        remember(job)
        remember(journalEnd: 0, of: job.number)
        var claim = Claim(record: job.record, spec: new.spec)
        claim.reading = new.reading
        arrived.append(claim)
    }

    /// Hands over the new jobs that the last commit claimed.
    func handOverArrived() {
        guard !arrived.isEmpty else { return }
        arrivals?.handOver(arrived)
        arrived = []
    }

    // MARK: What is remembered between transactions

    /// Remembers a job in flight as it stands now, and forgets any other.
    func remember(_ job: StoredJob) {
        if job.owner != nil {
            held[job.record.id] = job
        } else if !held.isEmpty {
            held[job.record.id] = nil
            journalEnds[job.number] = nil
        }
    }

    /// Remembers how long the journal of a job in flight is.
    func remember(journalEnd sequence: Int64, of number: Int64) {
        journalEnds[number] = JournalPlace.place(job: number, sequence: sequence)
    }

    // MARK: Jobs

    /// The job with this id, or nil.
    func job(_ id: JobID) throws(SQLiteFailure) -> StoredJob? {
        try insertRows()
        if let job = held[id] { return job }
        statements.jobByID.bind(1, id)
        return try first(statements.jobByID)
    }

    /// The job with this number, or nil.
    func job(number: Int64) throws(SQLiteFailure) -> StoredJob? {
        try insertRows()
        statements.jobByNumber.bind(1, number)
        return try first(statements.jobByNumber)
    }

    private func first(_ statement: SQLiteStatement) throws(SQLiteFailure) -> StoredJob? {
        defer { statement.reset() }
        return try statement.step() ? try StoredJob(row: statement) : nil
    }

    /// All jobs that a statement with bound values finds.
    func jobs(_ statement: SQLiteStatement) throws(SQLiteFailure) -> [StoredJob] {
        try insertRows()
        defer { statement.reset() }
        var found: [StoredJob] = []
        while try statement.step() { found.append(try StoredJob(row: statement)) }
        return found
    }

    /// Writes a job back after a move that began in `before`.
    func save(_ job: StoredJob, from before: JobRecord) throws(SQLiteFailure) {
        var job = job
        if job.record.state.isFinal && !job.ties.isEmpty { try cutTies(of: &job) }
        job.bindMove(to: statements.saveMove)
        try statements.saveMove.run()
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
        if before.state == .queued, job.owner == nil { _ = freshSpecs.take(job.number) }
    }

    /// Notes a change for the observer.
    func note(_ job: StoredJob) { changes.append(job.change) }

    /// Erases a job and everything about it.
    func remove(_ job: StoredJob) throws(SQLiteFailure) {
        let number = job.number
        for statement in [statements.deleteJob, statements.deleteSpec, statements.deleteResult] {
            statement.bind(1, number)
            try statement.run()
        }
        statements.deleteEntries.bind(1, JournalPlace.place(job: number, sequence: 0))
        statements.deleteEntries.bind(2, JournalPlace.place(job: number, sequence: JournalPlace.sequenceMax))
        try statements.deleteEntries.run()
        for label in job.record.labels {
            statements.deleteLabel.bind(1, label.key)
            statements.deleteLabel.bind(2, label.value)
            statements.deleteLabel.bind(3, job.record.id)
            try statements.deleteLabel.run()
        }
        if let key = job.idempotencyKey { try keep(key, of: job) }
        if job.ties.contains(.approval) {
            people.deleteApprovals.bind(1, number)
            try people.deleteApprovals.run()
        }
        if job.ties.contains(.artifact) { try removeArtifacts(of: number) }
        if job.ties.contains(.unique) { try forgetUniqueKey(of: number) }
        if !job.ties.isDisjoint(with: .anyTold) { try forgetEnd(of: number) }
        held[job.record.id] = nil
        journalEnds[number] = nil
        tally.add(job.record.state, -1)
        changes.append(JobChange(id: job.record.id, state: nil, revision: job.record.revision))
    }

    /// Appends entries to a job's journal, in one row.
    func append(_ entries: [JournalEntry], to number: Int64) throws(SQLiteFailure) {
        if entries.isEmpty { return }
        var place = JournalPlace.place(job: number, sequence: 0)
        let end = JournalPlace.place(job: number, sequence: JournalPlace.sequenceMax)
        let known = journalEnds[number]
        if let known {
            place = known
        } else {
            statements.lastPlace.bind(1, place)
            statements.lastPlace.bind(2, end)
            if try statements.lastPlace.step() {
                place = statements.lastPlace.integer(0)
                statements.lastPlace.reset()
            }
        }
        place += Int64(entries.count)
        guard place <= end else {
            throw .unfit("a journal cannot have more than \(JournalPlace.sequenceMax) entries")
        }
        statements.insertEntry.bind(1, place)
        try statements.insertEntry.run(with: JournalEntry.encoded(entries), at: 2)
        if known != nil { journalEnds[number] = place }
    }

    /// When the first job falls due; nil when none waits for a time.
    func firstDue() throws(SQLiteFailure) -> Timestamp? {
        var first: Timestamp?
        for priority in Int64(0)...9 {
            statements.firstDue.bind(1, priority)
            defer { statements.firstDue.reset() }
            guard try statements.firstDue.step(), let time = statements.firstDue.time(0) else { continue }
            first = min(first ?? time, time)
        }
        return first
    }
}
