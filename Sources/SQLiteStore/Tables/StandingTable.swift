import JobKit
import JobStore

/// The requests to callback URLs. Rarely used: statements are prepared on demand.
struct StandingTable: StandingRows {
    let connection: SQLiteConnection

    func standing(_ name: String, of job: StoredJob) throws(SQLiteFailure) -> [UInt8]? {
        let row = try connection.prepare(
            "SELECT body FROM callback_standing WHERE number = ?1 AND name = ?2")
        row.bind(1, job.number)
        row.bind(2, name)
        defer { row.reset() }
        return try row.step() ? row.bytes(0) : nil
    }

    func put(_ bytes: [UInt8], as name: String, of job: StoredJob) throws(SQLiteFailure) {
        let insert = try connection.prepare("INSERT OR REPLACE INTO callback_standing VALUES (?1, ?2, ?3)")
        insert.bind(1, job.number)
        insert.bind(2, name)
        insert.bind(3, bytes)
        try insert.run()
    }

    /// Removes those of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        let delete = try connection.prepare("DELETE FROM callback_standing WHERE number = ?1")
        delete.bind(1, number)
        try delete.run()
    }
}
