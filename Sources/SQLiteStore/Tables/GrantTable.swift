import JobKit
import JobStore

/// The rows of grants with their requests.
struct GrantTable: GrantRows {
    private let byName, insert, delete, countAll: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        byName = try connection.prepare("SELECT \(GrantRecord.table.list()) FROM capability WHERE name = ?1")
        insert = try connection.prepare(GrantRecord.table.insertion(replacing: "name"))
        delete = try connection.prepare("DELETE FROM capability WHERE name = ?1")
        countAll = try connection.prepare("SELECT count(*) FROM capability")
    }

    func grant(_ name: String) throws(SQLiteFailure) -> GrantRecord? {
        byName.bind(1, name)
        return try byName.first()
    }

    func put(_ grant: GrantRecord) throws(SQLiteFailure) {
        insert.bind(grant.values)
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
        let statement = try pageStatement(
            "SELECT \(GrantRecord.table.list()) FROM capability WHERE name = ?1")
        statement.bind(1, name)
        return try statement.first()
    }

    func grants(after: String, limit: Int) throws(SQLiteFailure) -> [GrantRecord] {
        let statement = try pageStatement(
            "SELECT \(GrantRecord.table.list()) FROM capability WHERE name > ?1 ORDER BY name LIMIT ?2")
        statement.bind(1, after)
        statement.bind(2, Int64(limit))
        return try statement.records()
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
