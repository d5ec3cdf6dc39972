import JobKit
import JobStore

/// Stored templates. Rarely written: their statements are prepared on demand.
struct TemplateTable: TemplateRows {
    let connection: SQLiteConnection

    func newest(of name: String) throws(SQLiteFailure) -> TemplateRecord? {
        let rows = try connection.prepare(
            "SELECT \(TemplateRecord.columns) FROM template WHERE name = ?1 ORDER BY version DESC LIMIT 1")
        rows.bind(1, name)
        defer { rows.reset() }
        return try rows.step() ? TemplateRecord(row: rows) : nil
    }

    func count() throws(SQLiteFailure) -> Int {
        Int(try connection.number("SELECT count(*) FROM template") ?? 0)
    }

    func insert(_ template: TemplateRecord) throws(SQLiteFailure) {
        let insert = try connection.prepare(
            "INSERT INTO template VALUES (?1, ?2, ?3, ?4, ?5)")
        insert.bind(1, template.name)
        insert.bind(2, template.version)
        insert.bind(4, template.createdAt)
        insert.bind(5, template.createdBy)
        try insert.run(with: template.body, at: 3)
    }

    func remove(_ name: String) throws(SQLiteFailure) -> Bool {
        let delete = try connection.prepare("DELETE FROM template WHERE name = ?1")
        delete.bind(1, name)
        try delete.run()
        return connection.changedRows > 0
    }
}

extension TemplateRecord {
    /// The columns, in the order of `init(row:)`.
    static let columns = "name, version, body, \(facts)"
    /// Those behind the body. All versions but the newest stay until the template is removed: the first one is 1.
    static let facts = """
        created_at, created_by, \
        (SELECT created_at FROM template AS first WHERE first.name = template.name AND first.version = 1), \
        (SELECT created_by FROM template AS first WHERE first.name = template.name AND first.version = 1)
        """

    /// Reads the current row.
    init(row: SQLiteStatement) {
        self.init(
            name: row.text(0), version: row.integer(1), body: row.bytes(2),
            createdAt: Timestamp(milliseconds: row.integer(3)), createdBy: row.text(4))
        firstAt = Timestamp(milliseconds: row.integer(5))
        firstBy = row.text(6)
    }
}

extension ReaderSession {
    func template(_ name: String, version: Int64?) throws(SQLiteFailure) -> TemplateRecord? {
        let rows = try pageStatement(
            "SELECT \(TemplateRecord.columns) FROM template WHERE name = ?1 AND (?2 IS NULL OR version = ?2) "
                + "ORDER BY version DESC LIMIT 1")
        rows.bind(1, name)
        rows.bind(2, version)
        defer { rows.reset() }
        return try rows.step() ? TemplateRecord(row: rows) : nil
    }

    func templates() throws(SQLiteFailure) -> [TemplateRecord] {
        let rows = try pageStatement(
            "SELECT name, version, x'', \(TemplateRecord.facts) FROM template WHERE version = "
                + "(SELECT max(version) FROM template AS other WHERE other.name = template.name) ORDER BY name"
        )
        defer { rows.reset() }
        var found: [TemplateRecord] = []
        while try rows.step() { found.append(TemplateRecord(row: rows)) }
        return found
    }
}
