import JobStore

/// Exclusive keys that operations of jobs hold.
struct HoldTable {
    private let insert, delete, deleteAll: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT OR REPLACE INTO hold VALUES (?1, ?2, ?3)")
        delete = try connection.prepare("DELETE FROM hold WHERE key = ?1 AND number = ?2")
        deleteAll = try connection.prepare("DELETE FROM hold WHERE number = ?1")
    }

    /// Records the keys that a run took and released.
    func note(taken: [ExclusiveHold], freed: [String], of job: inout StoredJob) throws(SQLiteFailure) {
        for key in freed {
            delete.bind(1, key)
            delete.bind(2, job.number)
            try delete.run()
        }
        for hold in taken {
            insert.bind(1, hold.key)
            insert.bind(2, job.number)
            insert.bind(3, hold.path.joined(separator: "/"))
            try insert.run()
            job.flags.insert(.hold)
        }
    }

    /// Removes the keys of an ended job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        deleteAll.bind(1, number)
        try deleteAll.run()
    }
}

extension ReaderSession {
    func holds() throws(SQLiteFailure) -> [ExclusiveHold] {
        let rows = try connection.prepare(
            "SELECT hold.key, job.id, hold.path FROM hold JOIN job ON job.number = hold.number ORDER BY hold.key"
        )
        var holds: [ExclusiveHold] = []
        while try rows.step() {
            holds.append(
                ExclusiveHold(
                    key: rows.text(0), job: rows.id(1),
                    path: rows.text(2).split(separator: "/").map(String.init)))
        }
        return holds
    }
}
