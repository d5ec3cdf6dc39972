import JobKit
import JobSpec
import JobStore
import Synchronization

/// Reads of the SQLite engine, on a separate read-only connection.
final class SQLiteJobReader: JobReader {
    /// The open connection; nil until the first read and while the database is being reopened.
    private let session = Mutex<ReaderSession?>(nil)
    private let board: StoreBoard
    private let path: String
    private let options: SQLiteOptions

    init(path: String, options: SQLiteOptions, board: StoreBoard) throws(JobStoreError) {
        self.board = board
        self.path = path
        self.options = options
        try open()
    }

    private func open() throws(JobStoreError) {
        do throws(SQLiteFailure) {
            try board.whileOpening(self) { () throws(SQLiteFailure) in
                let failure: SQLiteFailure? = session.withLock { session in
                    do throws(SQLiteFailure) {
                        session = try ReaderSession(path: path, options: options)
                        return nil
                    } catch {
                        return error
                    }
                }
                if let failure { throw failure }
            }
        } catch {
            throw error.storeError(doing: "Opening a reader failed", path: path)
        }
    }

    /// Closes the connection after the current read; the next read opens it again.
    func suspend() { session.withLock { $0 = nil } }

    func job(_ id: JobID) throws(JobStoreError) -> JobRecord? {
        try read { session throws(SQLiteFailure) in try session.job(id) }
    }

    func spec(_ id: JobID) throws(JobStoreError) -> [UInt8]? {
        try read { session throws(SQLiteFailure) in try session.spec(id) }
    }

    func ahead(of id: JobID) throws(JobStoreError) -> Int? {
        try read { session throws(SQLiteFailure) in try session.ahead(of: id) }
    }

    func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine? {
        try read { session throws(SQLiteFailure) in try session.uniqueLine(before: id) }
    }

    func result(_ id: JobID) throws(JobStoreError) -> OperationResult? {
        try read { session throws(SQLiteFailure) in try session.result(id) }
    }

    func journal(
        _ id: JobID, after: Int64, limit: Int, bytes: Int
    ) throws(JobStoreError) -> [NumberedEntry] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in
            try session.journal(id, after: after, limit: limit, bytes: bytes)
        }
    }

    func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry] {
        try read { session throws(SQLiteFailure) in try session.journal(id, at: sequences) }
    }

    func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex {
        try read { session throws(SQLiteFailure) in try session.index(id, from: known) }
    }

    func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse] {
        try read { session throws(SQLiteFailure) in try session.artifacts(id) }
    }

    func closings() throws(JobStoreError) -> [OriginClosing] {
        try read { session throws(SQLiteFailure) in try session.closings() }
    }

    func holds() throws(JobStoreError) -> [ExclusiveHold] {
        try read { session throws(SQLiteFailure) in try session.holds() }
    }

    func approval(_ id: ApprovalID) throws(JobStoreError) -> ApprovalRecord? {
        try read { session throws(SQLiteFailure) in try session.approval(id) }
    }

    func approvals(_ query: ApprovalQuery) throws(JobStoreError) -> ApprovalPage {
        try read { session throws(SQLiteFailure) in try session.approvals(query) }
    }

    func grant(_ name: String) throws(JobStoreError) -> GrantRecord? {
        try read { session throws(SQLiteFailure) in try session.grant(name) }
    }

    func grants(after: String, limit: Int) throws(JobStoreError) -> [GrantRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.grants(after: after, limit: limit) }
    }

    func endsToTell(limit: Int) throws(JobStoreError) -> [JobEnd] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.endsToTell(limit: limit) }
    }

    func waiting(for key: String, limit: Int) throws(JobStoreError) -> [JobID] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.waiting(for: key, limit: limit) }
    }

    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord? {
        try read { session throws(SQLiteFailure) in try session.template(name, version: version) }
    }

    func templates() throws(JobStoreError) -> [TemplateRecord] {
        try read { session throws(SQLiteFailure) in try session.templates() }
    }

    func validator(_ key: String) throws(JobStoreError) -> AnswerValidator? {
        try read { session throws(SQLiteFailure) in try session.validator(key) }
    }

    func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord] {
        try read { session throws(SQLiteFailure) in try session.settings(kind) }
    }

    func queues() throws(JobStoreError) -> [QueueStanding] {
        try read { session throws(SQLiteFailure) in try session.queues() }
    }

    func schedule(_ name: String) throws(JobStoreError) -> ScheduleRecord? {
        try read { session throws(SQLiteFailure) in try session.schedule(name) }
    }

    func schedules(after: String, limit: Int) throws(JobStoreError) -> [ScheduleRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.schedules(after: after, limit: limit) }
    }

    func schedulesToWake(limit: Int) throws(JobStoreError) -> [ScheduleRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.schedulesToWake(limit: limit) }
    }

    func occurrences(of name: String, _ query: OccurrenceQuery) throws(JobStoreError) -> [Occurrence] {
        try read { session throws(SQLiteFailure) in try session.occurrences(of: name, query) }
    }

    func bulk(_ id: BulkID) throws(JobStoreError) -> BulkRecord? {
        try read { session throws(SQLiteFailure) in try session.bulk(id) }
    }

    func bulks(before id: BulkID?, limit: Int) throws(JobStoreError) -> [BulkRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.bulks(before: id, limit: limit) }
    }

    func runningBulks(limit: Int) throws(JobStoreError) -> [BulkRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.runningBulks(limit: limit) }
    }

    func results(of id: BulkID, from place: Int, limit: Int) throws(JobStoreError) -> [BulkResult] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in
            try session.results(of: id, from: place, limit: limit)
        }
    }

    func upload(_ id: UploadID) throws(JobStoreError) -> UploadRecord? {
        try read { session throws(SQLiteFailure) in try session.upload(id) }
    }

    func uploads(before id: UploadID?, limit: Int) throws(JobStoreError) -> [UploadRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in try session.uploads(before: id, limit: limit) }
    }

    func delivery(_ id: DeliveryID) throws(JobStoreError) -> DeliveryRecord? {
        try read { session throws(SQLiteFailure) in try DeliveryLists(session: session).delivery(id) }
    }

    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(JobStoreError) -> [DeliveryRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in
            try DeliveryLists(session: session).deliveries(
                to: hook, outcome: outcome, before: id, limit: limit)
        }
    }

    func callback(of id: JobID, _ place: CallbackPlace) throws(JobStoreError) -> CallbackStanding? {
        let name = CallbackStanding.name(of: place)
        return try read { session throws(SQLiteFailure) in
            let row = try session.pageStatement(
                """
                SELECT body FROM callback_standing WHERE number = (SELECT number FROM job WHERE id = ?1) AND name = ?2
                """)
            row.bind(1, id)
            row.bind(2, name)
            defer { row.reset() }
            return try row.step() ? row.bytes(0) : nil
        }.map(CallbackStanding.read)
    }

    func artifactBytes(of tenant: Tenant) throws(JobStoreError) -> Int64 {
        try read { session throws(SQLiteFailure) in
            let rows = try session.pageStatement(
                """
                SELECT (SELECT ifnull(sum(artifact.bytes), 0) FROM artifact JOIN job ON job.number = artifact.number \
                WHERE job.queue >= ?1 AND job.queue < ?2) \
                + (SELECT ifnull(sum(max(bytes, \(UploadRecord.bytesMin))), 0) FROM upload \
                WHERE created_by >= ?3 AND created_by < ?4)
                """)
            rows.bind(1, tenant.prefix)
            rows.bind(2, tenant.prefix.behindAll)
            rows.bind(3, tenant.textPrefix)
            rows.bind(4, tenant.textPrefix.behindAll)
            defer { rows.reset() }
            return try rows.step() ? rows.integer(0) : 0
        }
    }

    func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(JobStoreError) -> [AuditRecord] {
        let limit = StoreRange.batch(limit)
        return try read { session throws(SQLiteFailure) in
            try session.audits(of: tenant, before: number, limit: limit)
        }
    }

    func stats(
        by facet: StatsFacet, _ step: StatsStep, of tenant: Tenant?, from start: Timestamp,
        before end: Timestamp
    ) throws(JobStoreError) -> [StatsPoint] {
        try read { session throws(SQLiteFailure) in
            try StatsPage.points(in: session, by: facet, step, of: tenant, from: start, before: end)
        }
    }

    func ids(_ query: JobListQuery) throws(JobStoreError) -> JobIDPage {
        try read { session throws(SQLiteFailure) in try session.ids(query) }
    }

    func count(
        _ query: JobListQuery, by keys: [JobCount.Key], examinedMax: Int
    ) throws(JobStoreError) -> JobCount {
        try read { session throws(SQLiteFailure) in
            try session.count(query, by: keys, examinedMax: examinedMax)
        }
    }

    func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage {
        try read { session throws(SQLiteFailure) in try session.list(query) }
    }

    private func read<Value: Sendable>(
        _ body: (ReaderSession) throws(SQLiteFailure) -> Value
    ) throws(JobStoreError) -> Value {
        if board.isClosed {
            suspend()
            throw .closed
        }
        if let value = try readIfOpen(body) { return value }
        try open()
        guard let value = try readIfOpen(body) else {
            throw JobStoreError(.unavailable, "The database is being opened again. Try again at once.")
        }
        return value
    }

    /// Runs a read; nil when the connection is not open.
    private func readIfOpen<Value: Sendable>(
        _ body: (ReaderSession) throws(SQLiteFailure) -> Value
    ) throws(JobStoreError) -> Value? {
        let result: Result<Value, JobStoreError>? = session.withLock { session in
            guard let session else { return nil }
            do throws(SQLiteFailure) {
                return .success(try body(session))
            } catch {
                return .failure(error.storeError(doing: "Reading failed", path: path))
            }
        }
        return try result?.get()
    }
}
