import JobKit
import JobStore

/// Stored templates. Rarely written: their statements are prepared on demand.
struct TemplateTable: TemplateRows {
    let connection: SQLiteConnection

    func newest(of name: String) throws(SQLiteFailure) -> TemplateRecord? {
        let rows = try connection.prepare(
            "SELECT \(TemplateRecord.columns) FROM template WHERE name = ?1 ORDER BY version DESC LIMIT 1")
        rows.bind(1, name)
        return try TemplateRecord.all(rows).first
    }

    func count() throws(SQLiteFailure) -> Int {
        Int(try connection.number("SELECT count(*) FROM template") ?? 0)
    }

    func insert(_ template: TemplateRecord) throws(SQLiteFailure) {
        try connection.insert(template)
    }

    func remove(_ name: String) throws(SQLiteFailure) -> Bool {
        let delete = try connection.prepare("DELETE FROM template WHERE name = ?1")
        delete.bind(1, name)
        try delete.run()
        return connection.changedRows > 0
    }
}

extension TemplateRecord {
    static let columns = "\(table.list()), \(first)"

    /// Time and author of the first version: all versions but the newest stay until the template is removed.
    static let first = """
        (SELECT created_at FROM template AS first WHERE first.name = template.name AND first.version = 1), \
        (SELECT created_by FROM template AS first WHERE first.name = template.name AND first.version = 1)
        """

    /// All rows. The statement is reset then.
    static func all(_ rows: SQLiteStatement) throws(SQLiteFailure) -> [TemplateRecord] {
        let first = Int32(table.columns.count)
        defer { rows.reset() }
        var found: [TemplateRecord] = []
        while try rows.step() {
            guard var template: TemplateRecord = try rows.record() else { continue }
            template.firstAt = Timestamp(milliseconds: rows.integer(first))
            template.firstBy = rows.text(first + 1)
            found.append(template)
        }
        return found
    }
}

extension ReaderSession {
    func template(_ name: String, version: Int64?) throws(SQLiteFailure) -> TemplateRecord? {
        let rows = try pageStatement(
            "SELECT \(TemplateRecord.columns) FROM template WHERE name = ?1 AND (?2 IS NULL OR version = ?2) "
                + "ORDER BY version DESC LIMIT 1")
        rows.bind(1, name)
        rows.bind(2, version)
        return try TemplateRecord.all(rows).first
    }

    func templates() throws(SQLiteFailure) -> [TemplateRecord] {
        let columns = TemplateRecord.table.list(with: "x''", for: "body")
        let rows = try pageStatement(
            """
            SELECT \(columns), \(TemplateRecord.first) FROM template WHERE version = \
            (SELECT max(version) FROM template AS other WHERE other.name = template.name) ORDER BY name
            """)
        return try TemplateRecord.all(rows)
    }
}
