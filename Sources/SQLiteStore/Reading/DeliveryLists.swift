import JobKit
import JobStore

/// The reads of deliveries to hooks.
struct DeliveryLists {
    let session: ReaderSession

    func delivery(_ id: DeliveryID) throws(SQLiteFailure) -> DeliveryRecord? {
        let row = try session.pageStatement(DeliveryPlace.selection)
        DeliveryPlace.bind(id, to: row)
        return try row.first()
    }

    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(SQLiteFailure) -> [DeliveryRecord] {
        let rows = try session.pageStatement(outcome == nil ? Self.all : Self.one)
        rows.bind(1, hook)
        rows.bind(2, Int64(limit))
        rows.bind(3, try id.map { id throws(SQLiteFailure) in try number(of: id) } ?? .max)
        if let outcome { rows.bind(4, outcome.rawValue) }
        return try rows.records()
    }

    /// The number of a delivery, also of one that is gone.
    private func number(of id: DeliveryID) throws(SQLiteFailure) -> Int64 {
        let row = try session.pageStatement(DeliveryPlace.lookup)
        DeliveryPlace.bind(id, to: row)
        defer { row.reset() }
        return try row.step() ? row.integer(0) : DeliveryPlace.number(of: id)
    }

    private static let columns = DeliveryRecord.listColumns("x''")
    private static let one = """
        SELECT \(columns) FROM delivery WHERE hook = ?1 AND outcome = ?4 AND number < ?3 ORDER BY number DESC LIMIT ?2
        """
    /// The newest of each outcome, and of these the newest: the index has them by outcome.
    private static let all: String = {
        let numbers = DeliveryRecord.Outcome.allCases.map { outcome in
            """
            SELECT number FROM (SELECT number FROM delivery WHERE hook = ?1 AND outcome = \(outcome.rawValue) \
            AND number < ?3 ORDER BY number DESC LIMIT ?2)
            """
        }
        return """
            SELECT \(columns) FROM delivery WHERE number IN (\(numbers.joined(separator: " UNION ALL "))) \
            ORDER BY number DESC LIMIT ?2
            """
    }()
}
