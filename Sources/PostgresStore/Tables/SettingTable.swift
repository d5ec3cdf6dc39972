import JobKit
import JobStore

/// Settings by kind and name.
struct SettingTable: SettingRows {
    private let connection: PostgresConnection
    private let table: String
    private static let columns = SettingRecord.table.list()

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
        return rows.count == 0 ? nil : try rows.record(0)
    }

    func count(_ kind: SettingKind) throws(PostgresFailure) -> Int {
        let count = try connection.run(
            "SELECT count(*) FROM \(table) WHERE kind = $1", [.integer(kind.rawValue)])
        return Int(count.integer(0, 0))
    }

    func put(_ setting: SettingRecord) throws(PostgresFailure) {
        try connection.run(
            SettingRecord.table.replacement(in: connection.address.schema, of: "kind", "name"),
            setting.parameters)
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
        return try rows.records()
    }
}
