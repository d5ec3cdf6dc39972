import JobKit
import JobStore

/// Keys under which suspended jobs are woken.
struct WakeTable {
    private let connection: PostgresConnection
    private let insert, byKey, delete: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).wake"
        insert = "INSERT INTO \(table) SELECT unnest($1::bytea[]), $2 ON CONFLICT DO NOTHING"
        byKey = "SELECT id FROM \(table) WHERE key = ANY($1) ORDER BY id"
        delete = "DELETE FROM \(table) WHERE id = ANY($1)"
    }

    /// The jobs with this key.
    func ids(of key: String) throws(PostgresFailure) -> [JobID] {
        try connection.run(byKey, [.raws([key])]).ids()
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
