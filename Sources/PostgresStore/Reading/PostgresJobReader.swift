import Glibc
import JobKit
import JobStore
import Synchronization

// DESIGN
// A read may take some seconds, but not when the database is silent: that is known from the thread that asks for news
// all the time. Then reads that wait are given up, and others refused at once, as when the database is away. Renewals
// of leases heed nothing, since the table of the news may be what is locked.

/// Reads of the store on PostgreSQL, on a connection of its own, which is opened again when it broke.
final class PostgresJobReader: JobReader {
    private let session = Mutex<ReaderSession?>(nil)
    private let address: PostgresAddress
    private let board: PostgresBoard
    /// The job that was read together with others, until the thread that read them asks for it: others may have to see
    /// a newer one.
    private let ready = Mutex<(thread: pthread_t, id: JobID, job: Result<JobRecord?, JobStoreError>)?>(nil)
    private static let timeout = Duration.seconds(5)

    /// - Parameter heedsSilence: whether it waits no longer while the database is silent.
    init(_ address: PostgresAddress, board: PostgresBoard, heedsSilence: Bool = true) {
        var address = address
        // A loop that waits serves nothing else.
        address.statementTimeout = Self.timeout
        address.connectTimeout = .seconds(2)
        if heedsSilence { address.heeds = board.contact }
        self.address = address
        self.board = board
    }

    func job(_ id: JobID) throws(JobStoreError) -> JobRecord? {
        if let job = takeReady(id) { return try job.get() }
        return try read { session throws(PostgresFailure) in try session.job(id) }
    }

    func readTogether(_ ids: [JobID], _ body: (_ place: Int) -> Void) {
        // One alone is read when it is asked for.
        guard ids.count > 1 else { return ids.indices.forEach(body) }
        let found = Result { () throws(JobStoreError) in
            try read { session throws(PostgresFailure) in try session.jobs(ids) }
        }
        // A job that cannot be read fails no other.
        if case .failure(let error) = found, error.code == .corrupt { return ids.indices.forEach(body) }
        for (place, id) in ids.enumerated() {
            ready.withLock { $0 = (pthread_self(), id, found.map { $0[id] }) }
            body(place)
        }
        ready.withLock { $0 = nil }
    }

    private func takeReady(_ id: JobID) -> Result<JobRecord?, JobStoreError>? {
        ready.withLock { ready in
            guard let known = ready, known.id == id, known.thread == pthread_self() else { return nil }
            ready = nil
            return known.job
        }
    }

    func names(of ids: [JobID]) throws(JobStoreError) -> JobNames {
        try read { session throws(PostgresFailure) in try session.names(of: ids) }
    }

    func spec(_ id: JobID) throws(JobStoreError) -> [UInt8]? {
        try read { session throws(PostgresFailure) in try session.tables.jobs.specs(of: [id])[id] }
    }

    func result(_ id: JobID) throws(JobStoreError) -> OperationResult? {
        try read { session throws(PostgresFailure) in try session.result(id) }
    }

    func ahead(of id: JobID) throws(JobStoreError) -> Int? {
        try read { session throws(PostgresFailure) in try session.ahead(of: id) }
    }

    func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine? {
        try read { session throws(PostgresFailure) in try session.uniqueLine(before: id) }
    }

    func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage {
        try read { session throws(PostgresFailure) in try session.list(query) }
    }

    func ids(_ query: JobListQuery) throws(JobStoreError) -> JobIDPage {
        try read { session throws(PostgresFailure) in try session.ids(query) }
    }

    func count(
        _ query: JobListQuery, by keys: [JobCount.Key], examinedMax: Int
    ) throws(JobStoreError) -> JobCount {
        return try read { session throws(PostgresFailure) in
            try session.count(query, by: keys, examinedMax: examinedMax)
        }
    }

    func journal(
        _ id: JobID, after: Int64, limit: Int, bytes: Int
    ) throws(JobStoreError) -> [NumberedEntry] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.journal(id, after: after, limit: limit, bytes: bytes)
        }
    }

    func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry] {
        try read { session throws(PostgresFailure) in try session.journal(id, at: sequences) }
    }

    func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex {
        try read { session throws(PostgresFailure) in try session.index(id, from: known) }
    }

    func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse] {
        try read { session throws(PostgresFailure) in try session.tables.artifacts.uses(of: id) }
    }

    func servers(countingJobs: Bool) throws(JobStoreError) -> [ServerRecord] {
        try read { session throws(PostgresFailure) in
            try LeaseTable(session.connection, usesDatabaseClock: true).servers(countingJobs: countingJobs)
        }
    }

    func standing(
        of path: [String], in job: JobID, for keys: [String]
    ) throws(JobStoreError) -> KeyStanding {
        try read { session throws(PostgresFailure) in
            try session.tables.keyLines.standing(of: path, in: job, for: keys)
        }
    }

    func closings() throws(JobStoreError) -> [OriginClosing] {
        try read { session throws(PostgresFailure) in try session.tables.closings.closings() }
    }

    func holds() throws(JobStoreError) -> [ExclusiveHold] {
        try read { session throws(PostgresFailure) in try session.tables.holds.all() }
    }

    func endsToTell(limit: Int) throws(JobStoreError) -> [JobEnd] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in try session.tables.callbacks.untold(limit: limit)
        }
    }

    func approval(_ id: ApprovalID) throws(JobStoreError) -> ApprovalRecord? {
        try read { session throws(PostgresFailure) in try session.tables.approvals.approval(id, locks: false)
        }
    }

    func approvals(_ query: ApprovalQuery) throws(JobStoreError) -> ApprovalPage {
        try read { session throws(PostgresFailure) in try session.tables.approvals.page(query) }
    }

    func grant(_ name: String) throws(JobStoreError) -> GrantRecord? {
        try read { session throws(PostgresFailure) in try session.tables.grants.grant(name, locks: false) }
    }

    func grants(after: String, limit: Int) throws(JobStoreError) -> [GrantRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.tables.grants.grants(after: after, limit: limit)
        }
    }

    func waiting(for key: String, limit: Int) throws(JobStoreError) -> [JobID] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in try session.waiting(for: key, limit: limit) }
    }

    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord? {
        try read { session throws(PostgresFailure) in
            try session.tables.templates.template(name, version: version)
        }
    }

    func templates() throws(JobStoreError) -> [TemplateRecord] {
        try read { session throws(PostgresFailure) in try session.tables.templates.newest() }
    }

    func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord] {
        try read { session throws(PostgresFailure) in try session.tables.settings.all(kind) }
    }

    func validator(_ key: String) throws(JobStoreError) -> AnswerValidator? {
        try read { session throws(PostgresFailure) in try session.tables.validators.validator(key) }
    }

    func schedule(_ name: String) throws(JobStoreError) -> ScheduleRecord? {
        try read { session throws(PostgresFailure) in try session.tables.schedules.schedule(name) }
    }

    func schedules(after: String, limit: Int) throws(JobStoreError) -> [ScheduleRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.tables.schedules.schedules(after: after, limit: limit)
        }
    }

    func schedulesToWake(limit: Int) throws(JobStoreError) -> [ScheduleRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in try session.tables.schedules.toWake(limit: limit)
        }
    }

    func occurrences(of name: String, _ query: OccurrenceQuery) throws(JobStoreError) -> [Occurrence] {
        try read { session throws(PostgresFailure) in try session.tables.schedules.list(of: name, query) }
    }

    func bulk(_ id: BulkID) throws(JobStoreError) -> BulkRecord? {
        try read { session throws(PostgresFailure) in try session.tables.bulks.record(id) }
    }

    func bulks(before id: BulkID?, limit: Int) throws(JobStoreError) -> [BulkRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.tables.bulks.bulks(before: id, limit: limit)
        }
    }

    func runningBulks(limit: Int) throws(JobStoreError) -> [BulkRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in try session.tables.bulks.running(limit: limit) }
    }

    func results(of id: BulkID, from place: Int, limit: Int) throws(JobStoreError) -> [BulkResult] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.tables.bulks.results(of: id, from: place, limit: limit)
        }
    }

    func upload(_ id: UploadID) throws(JobStoreError) -> UploadRecord? {
        try read { session throws(PostgresFailure) in try session.tables.uploads.upload(id) }
    }

    func delivery(_ id: DeliveryID) throws(JobStoreError) -> DeliveryRecord? {
        try read { session throws(PostgresFailure) in try session.tables.deliveries.delivery(id) }
    }

    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(JobStoreError) -> [DeliveryRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.tables.deliveries.deliveries(to: hook, outcome: outcome, before: id, limit: limit)
        }
    }

    func uploads(before id: UploadID?, limit: Int) throws(JobStoreError) -> [UploadRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.tables.uploads.uploads(before: id, limit: limit)
        }
    }

    func callback(of id: JobID, _ place: CallbackPlace) throws(JobStoreError) -> CallbackStanding? {
        let name = CallbackStanding.name(of: place)
        return try read { session throws(PostgresFailure) in
            try session.tables.standings.standing(name, of: id)
        }
        .map(CallbackStanding.read)
    }

    func artifactBytes(of tenant: Tenant) throws(JobStoreError) -> Int64 {
        try read { session throws(PostgresFailure) in
            try session.tables.artifacts.bytes(of: tenant) + session.tables.uploads.bytes(of: tenant)
        }
    }

    func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(JobStoreError) -> [AuditRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(PostgresFailure) in
            try session.tables.audits.audits(of: tenant, before: number, limit: limit)
        }
    }

    func stats(
        by facet: StatsFacet, _ step: StatsStep, of tenant: Tenant?, from start: Timestamp,
        before end: Timestamp
    ) throws(JobStoreError) -> [StatsPoint] {
        try read { session throws(PostgresFailure) in
            try session.tables.stats.stats(by: facet, step, of: tenant, from: start, before: end)
        }
    }

    func queues() throws(JobStoreError) -> [QueueStanding] {
        try read { session throws(PostgresFailure) in try session.queues() }
    }

    /// Runs a read, twice when the connection was cut meanwhile.
    func read<Value: Sendable>(
        _ body: (ReaderSession) throws(PostgresFailure) -> Value
    ) throws(JobStoreError) -> Value {
        if board.isClosed {
            session.withLock { $0 = nil }
            throw .closed
        }
        let address = address
        let result = session.withLock { session -> Result<Value, PostgresFailure> in
            if let heeds = address.heeds, heeds.isSilent(at: .now) {
                return .failure(.silent(for: heeds.patience))
            }
            // A connection may have been cut while it was idle: then a new one is tried.
            for isLast in [session == nil, true] {
                do throws(PostgresFailure) {
                    let open = if let session { session } else { try ReaderSession(address) }
                    session = open
                    try open.wait(forLocks: !board.lockedTables.areKnown(at: .now))
                    return .success(try body(open))
                } catch {
                    if error.isLockTimeout { board.lockedTables.note(at: .now) }
                    // What came too late would do so again.
                    let isOver = isLast || !error.isConnectionLost || session?.connection.isLate == true
                    if error.isConnectionLost { session = nil }
                    if isOver { return .failure(error) }
                }
            }
            return .failure(.lost("no connection"))
        }
        do throws(PostgresFailure) { return try result.get() } catch {
            if error.isDamage { board.note(damage: error.storeError(doing: "Reading failed").detail) }
            throw error.storeError(doing: "Reading failed")
        }
    }
}
