import JobKit
import JobStore

/// Ends of jobs whose callbacks are not stored yet. The transaction that removes a row stores the callback jobs, so
/// each end is reported once, by any server.
struct CallbackTable {
    private let connection: PostgresConnection
    private let insert, lock, settle, remove, untold: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).callback"
        insert = """
            INSERT INTO \(table) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET revision = excluded.revision
            """
        lock = "SELECT 1 FROM \(table) WHERE id = ANY($1) ORDER BY id FOR UPDATE"
        settle = "DELETE FROM \(table) WHERE id = $1 AND revision = $2"
        remove = "DELETE FROM \(table) WHERE id = $1"
        untold = "SELECT id, revision FROM \(table) ORDER BY number LIMIT $1"
    }

    /// Locks ends, later, in the order of the ids of their jobs.
    func lock(_ ids: [JobID]) throws(PostgresFailure) {
        if !ids.isEmpty { try connection.later(lock, [.ids(ids)]) }
    }

    /// Stores the ends of jobs, later, in the order of their ids; removes the end of a job for which there is nil.
    func put(_ ends: [JobID: StoredJob?]) throws(PostgresFailure) {
        for (id, end) in ends.sorted(by: { $0.key < $1.key }) {
            if let job = end {
                try connection.later(
                    insert, [.id(id), .integer(job.number), .integer(job.record.revision)])
            } else {
                try connection.later(remove, [.id(id)])
            }
        }
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
