import JobKit
import JobStore

/// The reads of deliveries to hooks.
struct DeliveryLists {
    let session: ReaderSession

    func delivery(_ id: DeliveryID) throws(SQLiteFailure) -> DeliveryRecord? {
        let row = try session.pageStatement("SELECT \(DeliveryRecord.columns) FROM delivery WHERE id = ?1")
        row.bind(1, id.bits)
        defer { row.reset() }
        return try row.step() ? DeliveryRecord(row: row) : nil
    }

    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(SQLiteFailure) -> [DeliveryRecord] {
        let filter = (outcome == nil ? "" : " AND outcome = ?3") + (id == nil ? "" : " AND id < ?4")
        let rows = try session.pageStatement(
            "SELECT \(DeliveryRecord.listColumns) FROM delivery WHERE hook = ?1\(filter) ORDER BY id DESC LIMIT ?2"
        )
        rows.bind(1, hook)
        rows.bind(2, Int64(limit))
        if let outcome { rows.bind(3, outcome.rawValue) }
        if let id { rows.bind(4, id.bits) }
        defer { rows.reset() }
        var found: [DeliveryRecord] = []
        while try rows.step() { if let one = DeliveryRecord(row: rows) { found.append(one) } }
        return found
    }
}
