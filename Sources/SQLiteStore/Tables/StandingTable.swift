import JobKit
import JobStore

/// The requests to callback URLs.
struct StandingTable: StandingRows {
    private let find, insert, delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        find = try connection.prepare("SELECT body FROM callback_standing WHERE number = ?1 AND name = ?2")
        insert = try connection.prepare("INSERT OR REPLACE INTO callback_standing VALUES (?1, ?2, ?3)")
        delete = try connection.prepare("DELETE FROM callback_standing WHERE number = ?1")
    }

    func standing(_ name: String, of job: StoredJob) throws(SQLiteFailure) -> [UInt8]? {
        find.bind(1, job.number)
        find.bind(2, name)
        defer { find.reset() }
        return try find.step() ? find.bytes(0) : nil
    }

    func put(_ bytes: [UInt8], as name: String, of job: StoredJob) throws(SQLiteFailure) {
        insert.bind(1, job.number)
        insert.bind(2, name)
        try insert.run(with: bytes, at: 3)
    }

    /// Removes those of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }
}
