import JobKit
import JobStore

/// The requests to callback URLs. The job is locked before.
struct StandingTable: StandingRows {
    private let connection: PostgresConnection
    private let table: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        table = "\(connection.address.schema).callback_standing"
    }

    func standing(_ name: String, of job: StoredJob) throws(PostgresFailure) -> [UInt8]? {
        try standing(name, of: job.record.id)
    }

    func standing(_ name: String, of id: JobID) throws(PostgresFailure) -> [UInt8]? {
        let rows = try connection.run(
            "SELECT body FROM \(table) WHERE id = $1 AND name = $2", [.id(id), .raw(name)])
        return rows.count > 0 ? rows.bytes(0, 0) : nil
    }

    func put(_ bytes: [UInt8], as name: String, of job: StoredJob) throws(PostgresFailure) {
        try connection.run(
            """
            INSERT INTO \(table) VALUES ($1, $2, $3) ON CONFLICT (id, name) DO UPDATE SET body = excluded.body
            """, [.id(job.record.id), .raw(name), .bytes(bytes)])
    }
}
