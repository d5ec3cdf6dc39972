import JobStore

/// The jobs that are suspected of having ended the process, and wait to be claimed as such (`StoredJob.isSuspect`).
struct SuspectTable {
    private let insert, delete, deleteFormer, rows: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT OR IGNORE INTO suspect VALUES (?1)")
        delete = try connection.prepare("DELETE FROM suspect WHERE number = ?1")
        deleteFormer = try connection.prepare(DispatchQueries.removeFormerSuspects)
        rows = try connection.prepare(DispatchQueries.suspects)
    }

    /// All of them, the oldest first.
    func all() throws(SQLiteFailure) -> [StoredJob] {
        // A person may have cancelled or released one meanwhile.
        try deleteFormer.run()
        return try StoredJob.all(rows)
    }

    func add(_ job: StoredJob) throws(SQLiteFailure) {
        insert.bind(1, job.number)
        try insert.run()
    }

    func remove(_ job: StoredJob) throws(SQLiteFailure) {
        delete.bind(1, job.number)
        try delete.run()
    }
}
