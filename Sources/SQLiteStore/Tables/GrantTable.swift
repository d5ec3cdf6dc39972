import JobKit
import JobStore

/// The rows of grants with their requests.
struct GrantTable: GrantRows {
    private let byName, insert, delete, countAll: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        byName = try connection.prepare("SELECT \(GrantRecord.columns) FROM capability WHERE name = ?1")
        insert = try connection.prepare(
            "INSERT OR REPLACE INTO capability VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        )
        delete = try connection.prepare("DELETE FROM capability WHERE name = ?1")
        countAll = try connection.prepare("SELECT count(*) FROM capability")
    }

    func grant(_ name: String) throws(SQLiteFailure) -> GrantRecord? {
        byName.bind(1, name)
        defer { byName.reset() }
        return try byName.step() ? try GrantRecord(row: byName) : nil
    }

    func put(_ grant: GrantRecord) throws(SQLiteFailure) {
        grant.bindAll(to: insert)
        try insert.run()
    }

    func remove(_ name: String) throws(SQLiteFailure) {
        delete.bind(1, name)
        try delete.run()
    }

    func count() throws(SQLiteFailure) -> Int {
        defer { countAll.reset() }
        return try countAll.step() ? Int(countAll.integer(0)) : 0
    }

    /// Whether one of the grants that a job is suspended for was decided or removed meanwhile.
    func hasNews(for wakeKeys: [String]) throws(SQLiteFailure) -> Bool {
        for key in wakeKeys {
            guard let name = GrantRequest.name(wakeKey: key) else { continue }
            if try grant(name)?.isAsked(at: SystemClock().now) != true { return true }
        }
        return false
    }
}

extension ReaderSession {
    func grant(_ name: String) throws(SQLiteFailure) -> GrantRecord? {
        let statement = try pageStatement("SELECT \(GrantRecord.columns) FROM capability WHERE name = ?1")
        statement.bind(1, name)
        defer { statement.reset() }
        return try statement.step() ? try GrantRecord(row: statement) : nil
    }

    func grants(after: String, limit: Int) throws(SQLiteFailure) -> [GrantRecord] {
        let statement = try pageStatement(
            "SELECT \(GrantRecord.columns) FROM capability WHERE name > ?1 ORDER BY name LIMIT ?2")
        statement.bind(1, after)
        statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var found: [GrantRecord] = []
        while try statement.step() { found.append(try GrantRecord(row: statement)) }
        return found
    }

    func waiting(for key: String, limit: Int) throws(SQLiteFailure) -> [JobID] {
        let states = JobState.allCases.filter(\.isSuspended).map { String($0.stored) }
        let statement = try pageStatement(
            """
            SELECT job.id FROM wake JOIN job ON job.number = wake.number WHERE wake.key = ?1 \
            AND job.state IN (\(states.joined(separator: ", "))) ORDER BY wake.number LIMIT ?2
            """)
        statement.bind(1, key)
        statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var found: [JobID] = []
        while try statement.step() { found.append(statement.id(0)) }
        return found
    }
}

extension GrantRecord {
    /// The columns, in the order of `init(row:)`.
    static let columns = """
        name, status, scopes, expires_at, reason, updated_at, updated_by, requested_at, requested_by, \
        requested_scope, version, created_at, created_by
        """

    /// Reads the current row of a statement that selects `columns`.
    init(row: SQLiteStatement) throws(SQLiteFailure) {
        self.init(name: row.text(0))
        guard let status = GrantStatus(stored: row.integer(1)) else {
            throw SQLiteFailure.damaged("the grant \(name) has the unknown status \(row.integer(1))")
        }
        decided = status
        scopes = row.text(2).split(separator: " ").map(String.init)
        expiresAt = row.time(3)
        reason = row.optionalText(4)
        updatedAt = row.time(5)
        updatedBy = row.optionalText(6)
        version = row.integer(10)
        createdAt = row.time(11)
        createdBy = row.optionalText(12)
        if let at = row.time(7) {
            request = GrantRequest(job: row.id(8), scope: row.optionalText(9), at: at)
        }
    }

    /// Binds all columns, numbered from 1.
    func bindAll(to statement: SQLiteStatement) {
        statement.bind(1, name)
        statement.bind(2, decided.stored)
        statement.bind(3, scopes.joined(separator: " "))
        statement.bind(4, expiresAt)
        statement.bind(5, reason)
        statement.bind(6, updatedAt)
        statement.bind(7, updatedBy)
        statement.bind(8, request?.at)
        if let request { statement.bind(9, request.job) } else { statement.bind(9, Int64?.none) }
        statement.bind(10, request?.scope)
        statement.bind(11, version)
        statement.bind(12, createdAt)
        statement.bind(13, createdBy)
    }
}
