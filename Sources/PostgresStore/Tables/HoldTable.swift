import JobKit
import JobStore

/// Exclusive keys that operations of jobs hold.
struct HoldTable {
    private let connection: PostgresConnection
    private let insert, delete, selectAll: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).hold"
        insert = """
            INSERT INTO \(table) VALUES ($1, $2, $3) \
            ON CONFLICT (key) DO UPDATE SET id = excluded.id, path = excluded.path
            """
        delete = "DELETE FROM \(table) WHERE key = ANY($1) AND id = $2"
        selectAll = "SELECT key, id, path FROM \(table) ORDER BY key"
    }

    /// Records the keys that a run took and released.
    func note(
        taken: [ExclusiveHold], freed: [String], of job: inout StoredJob
    ) throws(PostgresFailure) {
        if !freed.isEmpty { try connection.run(delete, [.raws(freed), .id(job.record.id)]) }
        for hold in taken {
            try connection.run(
                insert, [.raw(hold.key), .id(job.record.id), .raw(hold.path.joined(separator: "/"))])
            job.flags.insert(.hold)
        }
    }

    func all() throws(PostgresFailure) -> [ExclusiveHold] {
        let rows = try connection.run(selectAll)
        return (0..<rows.count).map {
            ExclusiveHold(key: rows.text($0, 0), job: rows.id($0, 1), path: rows.names($0, 2, by: "/"))
        }
    }
}
