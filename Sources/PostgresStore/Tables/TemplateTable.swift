import JobKit
import JobStore

/// Stored templates in all their versions.
struct TemplateTable: TemplateRows {
    private let connection: PostgresConnection
    private let schema: String
    private let first: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
        // All versions but the newest stay until the template is removed: the first one is 1.
        let one = "FROM \(schema).template AS first WHERE first.name = template.name AND first.version = 1"
        first = "(SELECT created_at \(one)), (SELECT created_by \(one))"
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
            TemplateRecord.table.insertion(in: schema), template.parameters)
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
        try records(
            "\(TemplateRecord.table.list()), \(first) FROM \(schema).template WHERE name = $1 "
                + "AND ($2::bigint IS NULL OR version = $2) ORDER BY version DESC LIMIT 1",
            [.raw(name), .integer(version)]
        ).first
    }

    func newest() throws(PostgresFailure) -> [TemplateRecord] {
        try records(
            "DISTINCT ON (name) \(TemplateRecord.table.list(with: "''::bytea", for: "body")), \(first) "
                + "FROM \(schema).template ORDER BY name, version DESC")
    }

    private func records(
        _ sql: String, _ values: [PostgresValue] = []
    ) throws(PostgresFailure) -> [TemplateRecord] {
        let rows = try connection.run("SELECT " + sql, values)
        let place = TemplateRecord.table.columns.count
        var found: [TemplateRecord] = []
        for row in 0..<rows.count {
            guard var template: TemplateRecord = try rows.record(row) else { continue }
            template.firstAt = Timestamp(milliseconds: rows.integer(row, place))
            template.firstBy = rows.text(row, place + 1)
            found.append(template)
        }
        return found
    }
}
