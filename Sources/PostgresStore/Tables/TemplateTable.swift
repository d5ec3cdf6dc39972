import JobKit
import JobStore

/// Stored templates in all their versions.
struct TemplateTable: TemplateRows {
    private let connection: PostgresConnection
    private let schema: String
    private let columns, facts: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
        // All versions but the newest stay until the template is removed: the first one is 1.
        let first = "FROM \(schema).template AS first WHERE first.name = template.name AND first.version = 1"
        facts = "created_at, created_by, (SELECT created_at \(first)), (SELECT created_by \(first))"
        columns = "name, version, body, \(facts)"
    }

    func newest(of name: String) throws(PostgresFailure) -> TemplateRecord? {
        try lock()
        return try template(name, version: nil)
    }

    func count() throws(PostgresFailure) -> Int {
        Int(try connection.run("SELECT count(*) FROM \(schema).template").integer(0, 0))
    }

    func insert(_ template: TemplateRecord) throws(PostgresFailure) {
        try connection.run(
            "INSERT INTO \(schema).template VALUES ($1, $2, $3, $4, $5)",
            [
                .raw(template.name), .integer(template.version), .bytes(template.body),
                .time(template.createdAt), .raw(template.createdBy),
            ])
    }

    func remove(_ name: String) throws(PostgresFailure) -> Bool {
        try lock()
        let removed = try connection.run(
            "DELETE FROM \(schema).template WHERE name = ANY($1)", [.raws([name])])
        return removed.changed > 0
    }

    /// Templates change seldom, one change at a time: the next version follows from the last.
    private func lock() throws(PostgresFailure) {
        try connection.run("LOCK TABLE \(schema).template IN SHARE ROW EXCLUSIVE MODE")
    }

    func template(_ name: String, version: Int64?) throws(PostgresFailure) -> TemplateRecord? {
        let rows = try connection.run(
            "SELECT \(columns) FROM \(schema).template WHERE name = $1 AND ($2::bigint IS NULL OR version = $2) "
                + "ORDER BY version DESC LIMIT 1", [.raw(name), .integer(version)])
        return rows.count == 0 ? nil : TemplateRecord(rows, 0)
    }

    func newest() throws(PostgresFailure) -> [TemplateRecord] {
        let rows = try connection.run(
            "SELECT DISTINCT ON (name) name, version, ''::bytea, \(facts) "
                + "FROM \(schema).template ORDER BY name, version DESC"
        )
        return (0..<rows.count).map { TemplateRecord(rows, $0) }
    }
}

extension TemplateRecord {
    fileprivate init(_ rows: PostgresRows, _ row: Int) {
        self.init(
            name: rows.text(row, 0), version: rows.integer(row, 1), body: rows.bytes(row, 2),
            createdAt: Timestamp(milliseconds: rows.integer(row, 3)), createdBy: rows.text(row, 4))
        firstAt = Timestamp(milliseconds: rows.integer(row, 5))
        firstBy = rows.text(row, 6)
    }
}
