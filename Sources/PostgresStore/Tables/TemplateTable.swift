import JobKit
import JobStore

/// Stored templates in all their versions.
struct TemplateTable {
    private let connection: PostgresConnection
    private let schema: String
    private static let columns = "name, version, body, created_at, created_by"

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
    }

    func put(
        _ template: TemplateRecord, countMax: Int
    ) throws(PostgresFailure) -> Result<TemplateReceipt, JobStoreError> {
        try lock()
        let known = try self.template(template.name, version: nil)
        if let known, known.body == template.body {
            return .success(TemplateReceipt(template: known, isNew: false))
        }
        let count = try connection.run("SELECT count(*) FROM \(schema).template").integer(0, 0)
        guard count < Int64(countMax) else { return .failure(.templatesFull(countMax)) }
        var template = template
        template.version = (known?.version ?? 0) + 1
        try connection.run(
            "INSERT INTO \(schema).template VALUES ($1, $2, $3, $4, $5)",
            [
                .raw(template.name), .integer(template.version), .bytes(template.body),
                .time(template.createdAt), .raw(template.createdBy),
            ])
        return .success(TemplateReceipt(template: template, isNew: true))
    }

    func remove(_ name: String) throws(PostgresFailure) -> Result<Void, JobStoreError> {
        try lock()
        let removed = try connection.run(
            "DELETE FROM \(schema).template WHERE name = ANY($1)", [.raws([name])])
        return removed.changed > 0 ? .success(()) : .failure(.noTemplate(name))
    }

    /// Templates change seldom, one change at a time: the next version follows from the last.
    private func lock() throws(PostgresFailure) {
        try connection.run("LOCK TABLE \(schema).template IN SHARE ROW EXCLUSIVE MODE")
    }

    func template(_ name: String, version: Int64?) throws(PostgresFailure) -> TemplateRecord? {
        let rows = try connection.run(
            "SELECT \(Self.columns) FROM \(schema).template WHERE name = $1 AND ($2::bigint IS NULL OR version = $2) "
                + "ORDER BY version DESC LIMIT 1", [.raw(name), .integer(version)])
        return rows.count == 0 ? nil : TemplateRecord(rows, 0)
    }

    func newest() throws(PostgresFailure) -> [TemplateRecord] {
        let rows = try connection.run(
            "SELECT DISTINCT ON (name) name, version, ''::bytea, created_at, created_by "
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
    }
}
