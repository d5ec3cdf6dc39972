import JobKit
import JobStore

/// Settings by kind and name.
struct SettingTable: SettingRows {
    private let connection: PostgresConnection
    private let table: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        table = "\(connection.address.schema).setting"
    }

    /// Settings change seldom, one change at a time: the next version follows from the last.
    func version(of kind: SettingKind, _ name: String) throws(PostgresFailure) -> Int64 {
        try connection.run("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
        let known = try connection.run(
            "SELECT version FROM \(table) WHERE kind = $1 AND name = $2",
            [.integer(kind.rawValue), .raw(name)])
        return known.count == 0 ? 0 : known.integer(0, 0)
    }

    func count(_ kind: SettingKind) throws(PostgresFailure) -> Int {
        let count = try connection.run(
            "SELECT count(*) FROM \(table) WHERE kind = $1", [.integer(kind.rawValue)])
        return Int(count.integer(0, 0))
    }

    func put(_ setting: SettingRecord) throws(PostgresFailure) {
        try connection.run(
            """
            INSERT INTO \(table) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, name) DO UPDATE SET \
            version = excluded.version, body = excluded.body, updated_at = excluded.updated_at, \
            updated_by = excluded.updated_by
            """,
            [
                .integer(setting.kind.rawValue), .raw(setting.name), .integer(setting.version),
                .bytes(setting.body), .time(setting.updatedAt), .raw(setting.updatedBy),
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
            "SELECT name, version, body, updated_at, updated_by FROM \(table) WHERE kind = $1 ORDER BY name",
            [.integer(kind.rawValue)])
        return (0..<rows.count).map { row in
            SettingRecord(
                kind: kind, name: rows.text(row, 0), version: rows.integer(row, 1), body: rows.bytes(row, 2),
                updatedAt: Timestamp(milliseconds: rows.integer(row, 3)), updatedBy: rows.text(row, 4))
        }
    }
}
