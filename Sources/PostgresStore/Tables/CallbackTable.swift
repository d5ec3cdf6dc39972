import JobKit
import JobStore

/// Ends of jobs whose callbacks are not stored yet. The transaction that removes a row stores the callback jobs, so
/// each end is reported once, by any server.
struct CallbackTable {
    private let connection: PostgresConnection
    private let insert, settle, untold: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).callback"
        insert = """
            INSERT INTO \(table) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET revision = excluded.revision
            """
        settle = "DELETE FROM \(table) WHERE id = $1 AND revision = $2"
        untold = "SELECT id, revision FROM \(table) ORDER BY number LIMIT $1"
    }

    func add(_ job: StoredJob) throws(PostgresFailure) {
        try connection.later(
            insert, [.id(job.record.id), .integer(job.number), .integer(job.record.revision)])
    }

    /// Removes an end whose callbacks are now stored. Returns whether it existed.
    func settle(_ end: JobEnd) throws(PostgresFailure) -> Bool {
        try connection.run(settle, [.id(end.id), .integer(end.revision)]).changed > 0
    }

    func untold(limit: Int) throws(PostgresFailure) -> [JobEnd] {
        let rows = try connection.run(untold, [.integer(Int64(limit))])
        return (0..<rows.count).map { JobEnd(id: rows.id($0, 0), revision: rows.integer($0, 1)) }
    }
}
