import JobKit
import JobStore

/// A read-only connection with its statements.
final class ReaderSession {
    let connection: SQLiteConnection
    private let jobByID, jobByNumber, specByID, resultByID: SQLiteStatement
    /// Statements for pages, by their text; filters make few different ones.
    private var pages: [String: SQLiteStatement] = [:]
    private static let pagesMax = 64

    init(path: String, options: SQLiteOptions) throws(SQLiteFailure) {
        connection = try SQLiteConnection(
            path: path, mode: .readOnly, fileAccess: options.fileAccess)
        try connection.execute(
            """
            PRAGMA busy_timeout = 2000;
            PRAGMA query_only = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(options.readerCacheKibibytes);
            """)
        jobByID = try connection.prepare("SELECT \(StoredJob.columns) FROM job WHERE id = ?1")
        jobByNumber = try connection.prepare("SELECT \(StoredJob.columns) FROM job WHERE number = ?1")
        specByID = try connection.prepare(
            "SELECT bytes FROM spec WHERE number = (SELECT number FROM job WHERE id = ?1)")
        resultByID = try connection.prepare(
            """
            SELECT status, content_type, headers, body, artifact, content_coding FROM result \
            WHERE number = (SELECT number FROM job WHERE id = ?1)
            """)
    }

    func job(_ id: JobID) throws(SQLiteFailure) -> JobRecord? {
        jobByID.bind(1, id)
        defer { jobByID.reset() }
        return try jobByID.step() ? try JobRecord(row: jobByID) : nil
    }

    func job(number: Int64) throws(SQLiteFailure) -> JobRecord? {
        jobByNumber.bind(1, number)
        defer { jobByNumber.reset() }
        return try jobByNumber.step() ? try JobRecord(row: jobByNumber) : nil
    }

    func spec(_ id: JobID) throws(SQLiteFailure) -> [UInt8]? {
        specByID.bind(1, id)
        defer { specByID.reset() }
        return try specByID.step() ? specByID.bytes(0) : nil
    }

    func result(_ id: JobID) throws(SQLiteFailure) -> OperationResult? {
        resultByID.bind(1, id)
        defer { resultByID.reset() }
        guard try resultByID.step() else { return nil }
        var result = OperationResult(
            status: resultByID.optionalInteger(0).map { Int($0) },
            headers: PairCoding.decode(resultByID.bytes(2)).map { .init(name: $0.0, value: $0.1) },
            contentType: resultByID.optionalText(1), body: resultByID.bytes(3))
        result.contentCoding = resultByID.optionalText(5)
        result.artifact = resultByID.optionalText(4).flatMap { ArtifactReference(encoded: $0) }
        return result
    }

    func ahead(of id: JobID) throws(SQLiteFailure) -> Int? {
        let rows = try connection.prepare(
            """
            WITH me AS (SELECT number, priority, ready_at, tenant FROM job \
            WHERE id = ?1 AND ready_at IS NOT NULL) \
            SELECT (SELECT count(*) FROM (SELECT 1 FROM me CROSS JOIN job INDEXED BY job_ready \
            WHERE job.ready_at IS NOT NULL AND job.tenant = me.tenant \
            AND (job.priority > me.priority OR (job.priority = me.priority \
            AND (job.ready_at, job.number) < (me.ready_at, me.number))) LIMIT 10000)) FROM me
            """)
        rows.bind(1, id)
        return try rows.step() ? Int(rows.integer(0)) : nil
    }

    /// A cached statement.
    func pageStatement(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
        if let known = pages[sql] { return known }
        if pages.count >= Self.pagesMax { pages = [:] }
        let statement = try connection.prepare(sql)
        pages[sql] = statement
        return statement
    }
}
