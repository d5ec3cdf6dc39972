import JobKit
import JobStore

/// Settings by kind and name.
struct SettingTable {
    private let connection: PostgresConnection
    private let table: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        table = "\(connection.address.schema).setting"
    }

    func put(
        _ draft: SettingDraft, countMax: Int
    ) throws(PostgresFailure) -> Result<SettingRecord, JobStoreError> {
        // Settings change seldom, one change at a time: the next version follows from the last.
        try connection.run("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
        let kind = PostgresValue.integer(draft.kind.rawValue)
        let known = try connection.run(
            "SELECT version FROM \(table) WHERE kind = $1 AND name = $2", [kind, .raw(draft.name)])
        let version = known.count == 0 ? 0 : known.integer(0, 0)
        if let expected = draft.ifVersion, expected != version {
            return .failure(.settingConflict(draft.name, version))
        }
        if version == 0 {
            let count = try connection.run("SELECT count(*) FROM \(table) WHERE kind = $1", [kind])
            guard count.integer(0, 0) < Int64(countMax) else { return .failure(.settingsFull(countMax)) }
        }
        let record = draft.record(version: version + 1)
        try connection.run(
            """
            INSERT INTO \(table) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, name) DO UPDATE SET \
            version = excluded.version, body = excluded.body, updated_at = excluded.updated_at, \
            updated_by = excluded.updated_by
            """,
            [
                kind, .raw(record.name), .integer(record.version), .bytes(record.body),
                .time(record.updatedAt), .raw(record.updatedBy),
            ])
        return .success(record)
    }

    func remove(
        _ kind: SettingKind, _ name: String
    ) throws(PostgresFailure) -> Result<Void, JobStoreError> {
        let removed = try connection.run(
            "DELETE FROM \(table) WHERE kind = $1 AND name = $2", [.integer(kind.rawValue), .raw(name)])
        return removed.changed > 0 ? .success(()) : .failure(.noSetting(kind, name))
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
