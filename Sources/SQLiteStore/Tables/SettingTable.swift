import JobKit
import JobStore

/// Settings by name. Rarely written: their statements are prepared on demand.
struct SettingTable: SettingRows {
    let connection: SQLiteConnection

    func setting(_ kind: SettingKind, _ name: String) throws(SQLiteFailure) -> SettingRecord? {
        let known = try connection.prepare(
            "SELECT \(SettingRecord.table.list()) FROM setting WHERE kind = ?1 AND name = ?2")
        known.bind(1, kind.rawValue)
        known.bind(2, name)
        return try known.first()
    }

    func count(_ kind: SettingKind) throws(SQLiteFailure) -> Int {
        let count = try connection.prepare("SELECT count(*) FROM setting WHERE kind = ?1")
        count.bind(1, kind.rawValue)
        defer { count.reset() }
        return try count.step() ? Int(count.integer(0)) : 0
    }

    func put(_ setting: SettingRecord) throws(SQLiteFailure) {
        try connection.run(SettingRecord.table.insertion(replacing: "kind", "name"), setting.values)
    }

    /// All settings of a kind.
    func all(_ kind: SettingKind) throws(SQLiteFailure) -> [SettingRecord] {
        let rows = try connection.prepare("SELECT \(SettingRecord.table.list()) FROM setting WHERE kind = ?1")
        rows.bind(1, kind.rawValue)
        return try rows.records()
    }

    func remove(_ kind: SettingKind, _ name: String) throws(SQLiteFailure) -> Bool {
        let delete = try connection.prepare("DELETE FROM setting WHERE kind = ?1 AND name = ?2")
        delete.bind(1, kind.rawValue)
        delete.bind(2, name)
        try delete.run()
        return connection.changedRows > 0
    }
}

extension ReaderSession {
    func settings(_ kind: SettingKind) throws(SQLiteFailure) -> [SettingRecord] {
        let rows = try pageStatement(
            "SELECT \(SettingRecord.table.list()) FROM setting WHERE kind = ?1 ORDER BY name")
        rows.bind(1, kind.rawValue)
        return try rows.records()
    }
}
