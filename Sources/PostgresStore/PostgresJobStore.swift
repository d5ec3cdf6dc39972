import ContentFiles
package import JobStore
import JobKit
import StoreThreads
import Synchronization

/// The store in a PostgreSQL, which several servers may share.
///
/// One thread commits groups of writes, one answers for it while the database is silent, one follows the commits of
/// other servers, one scans for work that was missed, one renews leases, and a pool reads for callers that must not
/// block.
final class PostgresJobStore: JobStore, SharedStore {
    let queue: CommandQueue
    let board: PostgresBoard
    private let address: PostgresAddress
    private let pool: ReaderPool
    /// A connection of its own for renewals: they wait neither for a locked table nor for the writer.
    let leases: ReaderPool
    let usesDatabaseClock: Bool
    private let followerBell: Bell
    private let scannerBell: Bell
    /// The store that this one is a view of; nil for the store itself.
    private let whole: PostgresJobStore?
    /// Recorded with each write of a view.
    private let audit: AuditDraft?
    /// The name of the tenant whose writes a view makes; empty without one.
    private let owner: String
    private let sharedArtifacts: SharedArtifacts?

    init(_ address: PostgresAddress, options: PostgresOptions) throws(JobStoreError) {
        self.address = address
        usesDatabaseClock = options.usesDatabaseClock
        queue = CommandQueue(patience: options.patience)
        var writing = address
        writing.contact = queue.contact
        let lane = WriteLane(writing, for: .new(), doubtMax: options.doubtMax)
        let start: (counts: JobCounts, last: [String: Int64])
        let began = ContinuousClock.now
        do throws(PostgresFailure) {
            let connection = try PostgresConnection(address)
            if options.migrates {
                try PostgresMigration.run(on: connection)
            } else {
                try PostgresMigration.check(on: connection)
            }
            try lane.enter(at: SystemClock().now)
            start = try LandedTable(connection).counts()
        } catch {
            throw error.storeError(doing: "Opening the store failed")
        }
        let board = PostgresBoard(
            counts: start.counts, server: lane.owner.description, patience: options.patience)
        self.board = board
        followerBell = Bell()
        scannerBell = Bell()
        whole = nil
        audit = nil
        owner = ""
        let pool = ReaderPool(countMax: options.readers) { PostgresJobReader(address, board: board) }
        self.pool = pool
        leases = ReaderPool(countMax: 1) { PostgresJobReader(address, board: board, heedsSilence: false) }
        sharedArtifacts = try options.artifacts.map { [queue] options throws(JobStoreError) in
            try SharedArtifacts(options, ledger: PostgresContentLedger(queue: queue, pool: pool))
        }
        let follower = CommitFollower(
            address, board: board, last: start.last, since: began, bell: followerBell,
            milliseconds: options.feedMilliseconds)
        try OSThread.start("follower") { follower.run() }
        // What others commit from now on, the follower tells.
        let (scan, starts) = try Self.firstScan(address)
        let writer = PostgresWriter(
            writing, options: options, queue: queue, board: board, lane: lane, starts: starts)
        try OSThread.start("writer") { writer.run() }
        let watch = SilenceWatch(queue: queue, board: board)
        try OSThread.start("silence-watch") { watch.run() }
        let scanner = FirstsScanner(address, board: board, scan: scan, bell: scannerBell)
        try OSThread.start("scanner") { scanner.run() }
    }

    /// Looks from the beginning, once, so that the writer need not.
    private static func firstScan(
        _ address: PostgresAddress
    ) throws(JobStoreError) -> (FirstsScan, ScanStarts) {
        do throws(PostgresFailure) {
            let scan = try FirstsScan(address)
            var starts = ScanStarts()
            try starts.look(scan.firsts)
            return (scan, starts)
        } catch {
            throw error.storeError(doing: "Opening the store failed")
        }
    }

    /// A view of a store that makes the writes of a tenant, or records its writes.
    init(_ store: PostgresJobStore, for tenant: Tenant? = nil, auditing draft: AuditDraft? = nil) {
        queue = store.queue
        board = store.board
        address = store.address
        pool = store.pool
        leases = store.leases
        usesDatabaseClock = store.usesDatabaseClock
        followerBell = store.followerBell
        scannerBell = store.scannerBell
        sharedArtifacts = store.sharedArtifacts
        whole = store
        owner = tenant?.name ?? store.owner
        audit = draft ?? store.audit
    }

    deinit {
        if whole != nil { return }
        board.close()
        queue.close()
        pool.close()
        leases.close()
        followerBell.ring()
        scannerBell.ring()
    }

    var artifacts: (any ArtifactPlace)? { sharedArtifacts }

    func removeUnusedArtifacts() async throws(JobStoreError) -> Int {
        try await sharedArtifacts?.sweep() ?? 0
    }

    /// Enqueues a write; the writer thread runs `work` and answers through `reply`. See `WriteCommand`.
    func write<Value: Sendable>(
        _ reply: @escaping StoreReply<Value>, needs: WriteNeeds = WriteNeeds(),
        bytes: Int = 0, rows: Int = 1, isPlain: Bool = false,
        _ work: @escaping @Sendable (WorkUnit) throws(PostgresFailure) -> Result<Value, JobStoreError>
    ) {
        guard let audit else {
            let command = WriteCommand(
                of: owner, needs: needs, bytes: bytes, rows: rows, reply: reply, work: work)
            command.isPlain = isPlain
            return queue.add(command)
        }
        var needs = needs
        if let body = audit.body { needs.wholes.insert(body.whole) }
        queue.add(
            WriteCommand(of: owner, needs: needs, bytes: bytes, rows: rows, reply: reply) {
                unit throws(PostgresFailure) in
                try unit.recording(audit, work)
            })
    }

    func auditing(_ draft: AuditDraft) -> any JobStore { PostgresJobStore(self, auditing: draft) }

    func writing(for tenant: Tenant) -> any JobStore { PostgresJobStore(self, for: tenant) }

    func perform<Write: StoreWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>) {
        self.write(reply, needs: write.needs, bytes: write.bytes, rows: write.rows) {
            unit throws(PostgresFailure) in
            try write.apply(in: unit)
        }
    }

    // MARK: Reading

    var shared: (any SharedStore)? { self }

    var settingsVersion: Int64 { board.settingsVersion.load(ordering: .acquiring) }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value {
        if board.isClosed { throw .closed }
        return try await withCheckedContinuation { continuation in
            pool.add(of: owner) { reader in
                continuation.resume(returning: Result { () throws(JobStoreError) in try body(reader) })
            }
        }.get()
    }

    /// Has a thread of the pool read.
    func look<Value: Sendable>(
        _ reply: @escaping StoreReply<Value>,
        _ body: @escaping @Sendable (ReaderSession) throws(PostgresFailure) -> Value
    ) {
        pool.add(of: owner) { reader in
            reply(Result { () throws(JobStoreError) in try reader.read(body) })
        }
    }

    func makeReader() throws(JobStoreError) -> any JobReader {
        if board.isClosed { throw .closed }
        return PostgresJobReader(address, board: board)
    }

    func counts() -> [JobState: Int] { board.jobCounts.byState }

    func observeCommits(
        expecting: @escaping @Sendable ([JobChange]) -> Void,
        _ observer: @escaping @Sendable ([JobChange]) -> Void
    ) { board.observe(observer) }

    func observeGaps(_ observer: @escaping @Sendable () -> Void) { board.observeGaps(observer) }

    func observeRequests(_ observer: @escaping @Sendable ([RunRequest]) -> Void) {
        board.observeRequests(observer)
    }

    // MARK: Care

    var condition: StoreCondition { board.condition }

    func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void) {
        board.observeCondition(observer)
    }

    var pressure: StorePressure { queue.pressure }

    func pressure(of tenant: Tenant?) -> StorePressure { queue.pressure(of: tenant?.name ?? "") }

    var space: StoreSpace? { sharedArtifacts?.space }

    func checkHealth(reply: @escaping StoreReply<Void>) {
        if board.isClosed { return reply(.failure(.closed)) }
        if let error = board.condition.refusal { return reply(.failure(error)) }
        guard board.contact.isSilent(at: .now) else { return reply(.success(())) }
        let failure = PostgresFailure.silent(for: board.contact.patience)
        reply(.failure(failure.storeError(doing: "Reading what other servers did failed")))
    }

    func backUp(to target: String, reply: @escaping StoreReply<BackupSummary>) {
        reply(
            .failure(
                JobStoreError(
                    .unavailable,
                    "The jobs are in a PostgreSQL: back it up with its own tools, such as pg_dump or pgBackRest."
                )))
    }

    func close() async {
        board.close()
        queue.close()
        followerBell.ring()
        scannerBell.ring()
        pool.close()
        leases.close()
        await withCheckedContinuation { continuation in
            board.whenEnded { continuation.resume() }
        }
    }
}

/// Opens stores on PostgreSQL.
package enum PostgresDatabase {
    /// Opens the store in a database that libpq can find.
    /// - Throws: `.unavailable`; the text says why, without the password.
    package static func open(
        _ connection: String, schema: String = "jobserver", options: PostgresOptions = PostgresOptions()
    ) throws(JobStoreError) -> any JobStore {
        try PostgresJobStore(
            try translating("Opening the store failed") { () throws(PostgresFailure) in
                var address = try PostgresAddress(connection, schema: schema)
                address.preparesStatements = options.preparesStatements
                address.statementTimeout = options.statementTimeout
                return address
            }, options: options)
    }

    /// Reads the store in a database, and changes nothing.
    /// - Throws: `.unavailable`, also for a schema of another version; the text says why, without the password.
    package static func reading<Value>(
        _ connection: String, schema: String, options: PostgresOptions = PostgresOptions(),
        _ body: (any JobReader) throws(JobStoreError) -> Value
    ) throws(JobStoreError) -> Value {
        let address = try translating("Reading the store failed") { () throws(PostgresFailure) in
            var address = try PostgresAddress(connection, schema: schema)
            address.preparesStatements = options.preparesStatements
            try PostgresMigration.check(on: PostgresConnection(address))
            return address
        }
        return try body(PostgresJobReader(address, board: PostgresBoard(counts: JobCounts(), server: "")))
    }

    /// Makes the schema, or brings it to the version of this program; returns the version.
    /// - Throws: `.unavailable`; the text says why, without the password.
    package static func migrate(
        _ connection: String, schema: String, options: PostgresOptions = PostgresOptions()
    ) throws(JobStoreError) -> Int64 {
        try translating("Migrating the schema failed") { () throws(PostgresFailure) in
            var address = try PostgresAddress(connection, schema: schema)
            address.preparesStatements = options.preparesStatements
            try PostgresMigration.run(on: PostgresConnection(address))
            return PostgresMigration.newest
        }
    }

    private static func translating<Value>(
        _ doing: String, _ body: () throws(PostgresFailure) -> Value
    ) throws(JobStoreError) -> Value {
        do throws(PostgresFailure) { return try body() } catch { throw error.storeError(doing: doing) }
    }
}
