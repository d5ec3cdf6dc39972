import JobKit
import JobStore

/// Keys under which suspended jobs are woken.
struct WakeTable: WakeRows {
    private let insert, byKey, settled, delete, deleteOne: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT OR IGNORE INTO wake VALUES (?1, ?2)")
        byKey = try connection.prepare(
            """
            SELECT job.id FROM wake JOIN job ON job.number = wake.number WHERE key = ?1 ORDER BY wake.number LIMIT ?2
            """)
        // By leaps from one key to the next, since many jobs may wait for one grant.
        settled = try connection.prepare(
            """
            WITH RECURSIVE leap (key) AS (\
            SELECT (SELECT key FROM wake WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT 1) UNION ALL \
            SELECT (SELECT key FROM wake WHERE key > leap.key AND key < ?2 ORDER BY key LIMIT 1) \
            FROM leap WHERE leap.key IS NOT NULL) \
            SELECT leap.key FROM leap LEFT JOIN capability ON capability.name = substr(leap.key, ?3) \
            WHERE capability.requested_at IS NULL AND EXISTS (SELECT 1 FROM wake JOIN job ON job.number = wake.number \
            WHERE wake.key = leap.key) LIMIT 1
            """)
        delete = try connection.prepare("DELETE FROM wake WHERE number = ?1")
        deleteOne = try connection.prepare(
            "DELETE FROM wake WHERE key = ?1 AND number = (SELECT number FROM job WHERE id = ?2)")
    }

    func ids(of key: String, limit: Int) throws(SQLiteFailure) -> [JobID] {
        byKey.bind(1, key)
        byKey.bind(2, Int64(limit))
        defer { byKey.reset() }
        var ids: [JobID] = []
        while try byKey.step() { ids.append(byKey.id(0)) }
        return ids
    }

    func settledKey() throws(SQLiteFailure) -> String? {
        settled.bind(1, GrantRequest.wakePrefix)
        settled.bind(2, GrantRequest.wakeEnd)
        settled.bind(3, Int64(GrantRequest.wakePrefix.count + 1))
        defer { settled.reset() }
        return try settled.step() ? settled.text(0) : nil
    }

    func remove(_ key: String, of ids: [JobID]) throws(SQLiteFailure) {
        for id in ids {
            deleteOne.bind(1, key)
            deleteOne.bind(2, id)
            try deleteOne.run()
        }
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
