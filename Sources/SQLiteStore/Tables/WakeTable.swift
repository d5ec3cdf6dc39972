import JobKit
import JobStore

/// Keys under which suspended jobs are woken.
struct WakeTable {
    private let insert, byKey, delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT OR IGNORE INTO wake VALUES (?1, ?2)")
        byKey = try connection.prepare(
            "SELECT job.id FROM wake JOIN job ON job.number = wake.number WHERE key = ?1 ORDER BY wake.number"
        )
        delete = try connection.prepare("DELETE FROM wake WHERE number = ?1")
    }

    /// The jobs with this key.
    func ids(of key: String) throws(SQLiteFailure) -> [JobID] {
        byKey.bind(1, key)
        defer { byKey.reset() }
        var ids: [JobID] = []
        while try byKey.step() { ids.append(byKey.id(0)) }
        return ids
    }

    /// Replaces the keys of a job.
    func put(_ keys: [String], of job: inout StoredJob) throws(SQLiteFailure) {
        if job.flags.contains(.wake) {
            try remove(of: job.number)
            job.flags.remove(.wake)
        }
        for key in keys {
            insert.bind(1, key)
            insert.bind(2, job.number)
            try insert.run()
            job.flags.insert(.wake)
        }
    }

    /// Removes the keys of an ended job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }
}
