import JobKit
import JobStore

/// Settings by kind and name.
struct SettingTable: SettingRows {
    private let connection: PostgresConnection
    private let table: String
    private static let columns = "name, version, body, updated_at, updated_by, created_at, created_by"

    init(_ connection: PostgresConnection) {
        self.connection = connection
        table = "\(connection.address.schema).setting"
    }

    /// Settings change seldom, one change at a time: the next version follows from the last.
    func setting(_ kind: SettingKind, _ name: String) throws(PostgresFailure) -> SettingRecord? {
        try connection.run("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
        let rows = try connection.run(
            "SELECT \(Self.columns) FROM \(table) WHERE kind = $1 AND name = $2",
            [.integer(kind.rawValue), .raw(name)])
        return rows.count == 0 ? nil : Self.record(kind, rows, 0)
    }

    func count(_ kind: SettingKind) throws(PostgresFailure) -> Int {
        let count = try connection.run(
            "SELECT count(*) FROM \(table) WHERE kind = $1", [.integer(kind.rawValue)])
        return Int(count.integer(0, 0))
    }

    func put(_ setting: SettingRecord) throws(PostgresFailure) {
        try connection.run(
            """
            INSERT INTO \(table) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (kind, name) DO UPDATE SET \
            version = excluded.version, body = excluded.body, updated_at = excluded.updated_at, \
            updated_by = excluded.updated_by
            """,
            [
                .integer(setting.kind.rawValue), .raw(setting.name), .integer(setting.version),
                .bytes(setting.body), .time(setting.updatedAt), .raw(setting.updatedBy),
                .time(setting.createdAt), .raw(setting.createdBy),
            ])
    }

    func remove(_ kind: SettingKind, _ name: String) throws(PostgresFailure) -> Bool {
        let removed = try connection.run(
            "DELETE FROM \(table) WHERE kind = $1 AND name = $2", [.integer(kind.rawValue), .raw(name)])
        return removed.changed > 0
    }

    /// All settings of a kind, by name.
    func all(_ kind: SettingKind) throws(PostgresFailure) -> [SettingRecord] {
        let rows = try connection.run(
            "SELECT \(Self.columns) FROM \(table) WHERE kind = $1 ORDER BY name",
            [.integer(kind.rawValue)])
        return (0..<rows.count).map { Self.record(kind, rows, $0) }
    }

    private static func record(_ kind: SettingKind, _ rows: PostgresRows, _ row: Int) -> SettingRecord {
        var record = SettingRecord(
            kind: kind, name: rows.text(row, 0), version: rows.integer(row, 1), body: rows.bytes(row, 2),
            updatedAt: Timestamp(milliseconds: rows.integer(row, 3)), updatedBy: rows.text(row, 4))
        record.createdAt = Timestamp(milliseconds: rows.integer(row, 5))
        record.createdBy = rows.text(row, 6)
        return record
    }
}
