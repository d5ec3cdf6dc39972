import JobKit
import JobStore

/// Stored templates. Rarely written: their statements are prepared on demand.
struct TemplateTable {
    let connection: SQLiteConnection
    /// The maximum number of template versions.
    let countMax: Int

    func put(_ template: TemplateRecord) throws(SQLiteFailure) -> Result<TemplateReceipt, JobStoreError> {
        let newest = try connection.prepare(
            "SELECT \(TemplateRecord.columns) FROM template WHERE name = ?1 ORDER BY version DESC LIMIT 1")
        newest.bind(1, template.name)
        let known = try newest.step() ? TemplateRecord(row: newest) : nil
        newest.reset()
        if let known, known.body == template.body {
            return .success(TemplateReceipt(template: known, isNew: false))
        }
        let count = try connection.number("SELECT count(*) FROM template") ?? 0
        guard count < Int64(countMax) else { return .failure(.templatesFull(countMax)) }
        var template = template
        template.version = (known?.version ?? 0) + 1
        let insert = try connection.prepare(
            "INSERT INTO template (\(TemplateRecord.columns)) VALUES (?1, ?2, ?3, ?4, ?5)")
        insert.bind(1, template.name)
        insert.bind(2, template.version)
        insert.bind(4, template.createdAt)
        insert.bind(5, template.createdBy)
        try insert.run(with: template.body, at: 3)
        return .success(TemplateReceipt(template: template, isNew: true))
    }

    func remove(_ name: String) throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        let delete = try connection.prepare("DELETE FROM template WHERE name = ?1")
        delete.bind(1, name)
        try delete.run()
        return connection.changedRows > 0 ? .success(()) : .failure(.noTemplate(name))
    }
}

extension TemplateRecord {
    /// The columns, in the order of `init(row:)`.
    static let columns = "name, version, body, created_at, created_by"

    /// Reads the current row.
    init(row: SQLiteStatement) {
        self.init(
            name: row.text(0), version: row.integer(1), body: row.bytes(2),
            createdAt: Timestamp(milliseconds: row.integer(3)), createdBy: row.text(4))
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
            "SELECT name, version, x'', created_at, created_by FROM template AS one WHERE version = "
                + "(SELECT max(version) FROM template WHERE name = one.name) ORDER BY name")
        defer { rows.reset() }
        var found: [TemplateRecord] = []
        while try rows.step() { found.append(TemplateRecord(row: rows)) }
        return found
    }
}
