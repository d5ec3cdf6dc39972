import JobKit
import JobStore

/// Settings by name. Rarely written: their statements are prepared on demand.
struct SettingTable {
    let connection: SQLiteConnection
    /// The maximum number of settings of one kind.
    let countMax: Int

    func put(_ draft: SettingDraft) throws(SQLiteFailure) -> Result<SettingRecord, JobStoreError> {
        let known = try connection.prepare("SELECT version FROM setting WHERE kind = ?1 AND name = ?2")
        known.bind(1, draft.kind.rawValue)
        known.bind(2, draft.name)
        let version = try known.step() ? known.integer(0) : 0
        known.reset()
        if let expected = draft.ifVersion, expected != version {
            return .failure(.settingConflict(draft.name, version))
        }
        if version == 0 {
            let count = try connection.prepare("SELECT count(*) FROM setting WHERE kind = ?1")
            count.bind(1, draft.kind.rawValue)
            guard try count.step(), count.integer(0) < Int64(countMax) else {
                return .failure(.settingsFull(countMax))
            }
            count.reset()
        }
        let record = draft.record(version: version + 1)
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO setting (\(SettingRecord.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        insert.bind(1, record.kind.rawValue)
        insert.bind(2, record.name)
        insert.bind(3, record.version)
        insert.bind(5, record.updatedAt)
        insert.bind(6, record.updatedBy)
        try insert.run(with: record.body, at: 4)
        return .success(record)
    }

    /// All settings of a kind.
    func all(_ kind: SettingKind) throws(SQLiteFailure) -> [SettingRecord] {
        let rows = try connection.prepare("SELECT \(SettingRecord.columns) FROM setting WHERE kind = ?1")
        rows.bind(1, kind.rawValue)
        defer { rows.reset() }
        var found: [SettingRecord] = []
        while try rows.step() { if let record = SettingRecord(row: rows) { found.append(record) } }
        return found
    }

    func remove(
        _ kind: SettingKind, _ name: String
    ) throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        let delete = try connection.prepare("DELETE FROM setting WHERE kind = ?1 AND name = ?2")
        delete.bind(1, kind.rawValue)
        delete.bind(2, name)
        try delete.run()
        return connection.changedRows > 0 ? .success(()) : .failure(.noSetting(kind, name))
    }
}

extension SettingRecord {
    /// The columns, in the order of `init(row:)`.
    static let columns = "kind, name, version, body, updated_at, updated_by"

    /// Reads the current row; nil for a kind that this program does not know.
    init?(row: SQLiteStatement) {
        guard let kind = SettingKind(rawValue: row.integer(0)) else { return nil }
        self.init(
            kind: kind, name: row.text(1), version: row.integer(2), body: row.bytes(3),
            updatedAt: Timestamp(milliseconds: row.integer(4)), updatedBy: row.text(5))
    }
}

extension ReaderSession {
    func settings(_ kind: SettingKind) throws(SQLiteFailure) -> [SettingRecord] {
        let rows = try pageStatement(
            "SELECT \(SettingRecord.columns) FROM setting WHERE kind = ?1 ORDER BY name")
        rows.bind(1, kind.rawValue)
        defer { rows.reset() }
        var found: [SettingRecord] = []
        while try rows.step() {
            if let record = SettingRecord(row: rows) { found.append(record) }
        }
        return found
    }
}
