import JobKit
import JobStore

/// Settings by name. Rarely written: their statements are prepared on demand.
struct SettingTable: SettingRows {
    let connection: SQLiteConnection

    func setting(_ kind: SettingKind, _ name: String) throws(SQLiteFailure) -> SettingRecord? {
        let known = try connection.prepare(
            "SELECT \(SettingRecord.columns) FROM setting WHERE kind = ?1 AND name = ?2")
        known.bind(1, kind.rawValue)
        known.bind(2, name)
        defer { known.reset() }
        return try known.step() ? SettingRecord(row: known) : nil
    }

    func count(_ kind: SettingKind) throws(SQLiteFailure) -> Int {
        let count = try connection.prepare("SELECT count(*) FROM setting WHERE kind = ?1")
        count.bind(1, kind.rawValue)
        defer { count.reset() }
        return try count.step() ? Int(count.integer(0)) : 0
    }

    func put(_ setting: SettingRecord) throws(SQLiteFailure) {
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO setting (\(SettingRecord.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        )
        insert.bind(1, setting.kind.rawValue)
        insert.bind(2, setting.name)
        insert.bind(3, setting.version)
        insert.bind(5, setting.updatedAt)
        insert.bind(6, setting.updatedBy)
        insert.bind(7, setting.createdAt)
        insert.bind(8, setting.createdBy)
        try insert.run(with: setting.body, at: 4)
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

    func remove(_ kind: SettingKind, _ name: String) throws(SQLiteFailure) -> Bool {
        let delete = try connection.prepare("DELETE FROM setting WHERE kind = ?1 AND name = ?2")
        delete.bind(1, kind.rawValue)
        delete.bind(2, name)
        try delete.run()
        return connection.changedRows > 0
    }
}

extension SettingRecord {
    /// The columns, in the order of `init(row:)`.
    static let columns = "kind, name, version, body, updated_at, updated_by, created_at, created_by"

    /// Reads the current row; nil for a kind that this program does not know.
    init?(row: SQLiteStatement) {
        guard let kind = SettingKind(rawValue: row.integer(0)) else { return nil }
        self.init(
            kind: kind, name: row.text(1), version: row.integer(2), body: row.bytes(3),
            updatedAt: Timestamp(milliseconds: row.integer(4)), updatedBy: row.text(5))
        createdAt = Timestamp(milliseconds: row.integer(6))
        createdBy = row.text(7)
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
