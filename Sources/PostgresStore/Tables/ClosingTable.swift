import JobKit
import JobStore

/// Pauses and open breakers of origins.
struct ClosingTable: ClosingRows {
    private let connection: PostgresConnection
    private let put, removeOld, remove, all: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).closing"
        put = """
            INSERT INTO \(table) VALUES ($1, $2, $3) \
            ON CONFLICT (origin) DO UPDATE SET until = excluded.until, body = excluded.body
            """
        removeOld = """
            DELETE FROM \(table) WHERE origin = ANY(ARRAY(SELECT origin FROM \(table) WHERE until <= $1 \
            FOR UPDATE SKIP LOCKED))
            """
        remove = "DELETE FROM \(table) WHERE origin = ANY($1)"
        all = "SELECT body FROM \(table) ORDER BY origin"
    }

    func keep(_ closings: [OriginClosing], at now: Timestamp) throws(PostgresFailure) {
        // Servers write the rows in one order.
        for closing in closings.sorted(by: { $0.origin < $1.origin }) {
            if let until = closing.until {
                try connection.run(put, [.raw(closing.origin), .time(until), .bytes(closing.bytes)])
            } else {
                try connection.run(remove, [.raws([closing.origin])])
            }
        }
        try connection.run(removeOld, [.time(now)])
    }

    /// All of them, by origin.
    func closings() throws(PostgresFailure) -> [OriginClosing] {
        let rows = try connection.run(all)
        return (0..<rows.count).compactMap { OriginClosing(rows.bytes($0, 0)) }
    }
}
