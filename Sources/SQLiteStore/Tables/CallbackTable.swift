import JobStore

// DESIGN
// A job with callbacks that ends leaves a row behind in the transaction that ends it, whatever ends it: a run, a
// person, a timer, another job. The engine creates the callback jobs, which are stored in the transaction that removes
// the row. So each end is reported once, and none is lost.

/// Ends of jobs whose callbacks are not stored yet.
struct CallbackTable {
    private let insert, delete, settleRow: SQLiteStatement
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT OR REPLACE INTO callback VALUES (?1, ?2)")
        delete = try connection.prepare("DELETE FROM callback WHERE number = ?1")
        settleRow = try connection.prepare(
            "DELETE FROM callback WHERE number = (SELECT number FROM job WHERE id = ?1) AND revision = ?2")
        self.connection = connection
    }

    func add(_ job: StoredJob) throws(SQLiteFailure) {
        insert.bind(1, job.number)
        insert.bind(2, job.record.revision)
        try insert.run()
    }

    /// Removes an end whose callbacks are now stored. Returns whether it existed.
    func settle(_ end: JobEnd) throws(SQLiteFailure) -> Bool {
        settleRow.bind(1, end.id)
        settleRow.bind(2, end.revision)
        try settleRow.run()
        return connection.changedRows > 0
    }

    /// Removes the end of a job that is retried or erased.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }
}

extension ReaderSession {
    func endsToTell(limit: Int) throws(SQLiteFailure) -> [JobEnd] {
        let rows = try pageStatement(DispatchQueries.untold)
        rows.bind(1, Int64(limit))
        defer { rows.reset() }
        var ends: [JobEnd] = []
        while try rows.step() { ends.append(JobEnd(id: rows.id(0), revision: rows.integer(1))) }
        return ends
    }
}
