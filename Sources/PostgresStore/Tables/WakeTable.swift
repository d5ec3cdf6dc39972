import JobKit
import JobStore

/// Keys under which suspended jobs are woken.
struct WakeTable: WakeRows {
    private let connection: PostgresConnection
    private let insert, byKey, settled, delete, deleteKey: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).wake"
        insert = "INSERT INTO \(table) SELECT unnest($1::bytea[]), $2 ON CONFLICT DO NOTHING"
        byKey = "SELECT id FROM \(table) WHERE key = $1 ORDER BY id LIMIT $2"
        // By leaps from one key to the next, since many jobs may wait for one grant.
        settled = """
            WITH RECURSIVE leap (key) AS (\
            SELECT (SELECT key FROM \(table) WHERE key >= $1 AND key < $2 ORDER BY key LIMIT 1) UNION ALL \
            SELECT (SELECT key FROM \(table) WHERE key > leap.key AND key < $2 ORDER BY key LIMIT 1) \
            FROM leap WHERE leap.key IS NOT NULL) \
            SELECT leap.key FROM leap LEFT JOIN \(connection.address.schema).capability AS asked \
            ON asked.name = substr(leap.key, $3::int) \
            WHERE leap.key IS NOT NULL AND asked.requested_at IS NULL LIMIT 1
            """
        delete = "DELETE FROM \(table) WHERE id = ANY($1)"
        deleteKey = "DELETE FROM \(table) WHERE key = $1 AND id = ANY($2)"
    }

    func ids(of key: String, limit: Int) throws(PostgresFailure) -> [JobID] {
        try connection.run(byKey, [.raw(key), .integer(Int64(limit))]).ids()
    }

    func settledKey() throws(PostgresFailure) -> String? {
        let rows = try connection.run(
            settled,
            [
                .raw(GrantRequest.wakePrefix), .raw(GrantRequest.wakeEnd),
                .integer(Int64(GrantRequest.wakePrefix.count + 1)),
            ])
        return rows.count > 0 ? rows.text(0, 0) : nil
    }

    func remove(_ key: String, of ids: [JobID]) throws(PostgresFailure) {
        if !ids.isEmpty { try connection.later(deleteKey, [.raw(key), .ids(ids)]) }
    }

    /// Replaces the keys of a job.
    func put(_ keys: [String], of job: inout StoredJob) throws(PostgresFailure) {
        if job.flags.contains(.wake) {
            try remove(of: job.record.id)
            job.flags.remove(.wake)
        }
        guard !keys.isEmpty else { return }
        try connection.later(insert, [.raws(keys), .id(job.record.id)])
        job.flags.insert(.wake)
    }

    /// Removes the keys of an ended job.
    func remove(of id: JobID) throws(PostgresFailure) { try connection.later(delete, [.ids([id])]) }
}
