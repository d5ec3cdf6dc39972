import JobKit
import JobStore

/// The changes by people, in their order. Rarely written: statements are prepared on demand.
struct AuditTable: AuditRows {
    let connection: SQLiteConnection

    func body(of draft: AuditDraft) throws(SQLiteFailure) -> [UInt8]? {
        guard let body = draft.body else { return nil }
        let row: SQLiteStatement
        switch body {
        case .setting(let kind):
            row = try connection.prepare("SELECT body FROM setting WHERE name = ?1 AND kind = ?2")
            row.bind(2, kind.rawValue)
        case .template:
            row = try connection.prepare(
                "SELECT body FROM template WHERE name = ?1 ORDER BY version DESC LIMIT 1")
        case .schedule: row = try connection.prepare("SELECT body FROM schedule WHERE name = ?1")
        }
        row.bind(1, draft.record.target)
        defer { row.reset() }
        return try row.step() ? row.bytes(0) : nil
    }

    func add(_ record: AuditRecord) throws(SQLiteFailure) {
        try connection.insert(record)
    }

    /// Removes the oldest records, as long as they are from before `time`.
    func remove(before time: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        let delete = try connection.prepare(
            """
            DELETE FROM audit WHERE at < ?1 AND number IN (SELECT number FROM audit ORDER BY number LIMIT ?2)
            """)
        delete.bind(1, time)
        delete.bind(2, Int64(limit))
        try delete.run()
        return connection.changedRows
    }
}

extension ReaderSession {
    func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(SQLiteFailure) -> [AuditRecord] {
        let rows = try pageStatement(
            """
            SELECT \(AuditRecord.table.list()) FROM audit \
            WHERE number < ?1\(tenant == nil ? "" : " AND by >= ?3 AND by < ?4") ORDER BY number DESC LIMIT ?2
            """)
        if let tenant {
            rows.bind(3, tenant.textPrefix)
            rows.bind(4, tenant.textPrefix.behindAll)
        }
        rows.bind(1, number ?? .max)
        rows.bind(2, Int64(limit))
        return try rows.records()
    }
}
