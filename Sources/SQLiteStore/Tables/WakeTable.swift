import JobStore

/// Keys under which suspended jobs are woken.
struct WakeTable {
    private let insert, byKey, delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT OR IGNORE INTO wake VALUES (?1, ?2)")
        byKey = try connection.prepare("SELECT number FROM wake WHERE key = ?1 ORDER BY number")
        delete = try connection.prepare("DELETE FROM wake WHERE number = ?1")
    }

    /// The jobs with this key.
    func numbers(of key: String) throws(SQLiteFailure) -> [Int64] {
        byKey.bind(1, key)
        defer { byKey.reset() }
        var numbers: [Int64] = []
        while try byKey.step() { numbers.append(byKey.integer(0)) }
        return numbers
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
