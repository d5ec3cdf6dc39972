import JobKit
import JobStore

/// Validators of answers by request. Rarely written: their statements are prepared on demand.
struct ValidatorTable {
    let connection: SQLiteConnection
    /// The maximum number of validators.
    let countMax: Int

    func put(_ validator: AnswerValidator, for key: String) throws(SQLiteFailure) {
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO validator (key, tag, modified, job, path) VALUES (?1, ?2, ?3, ?4, ?5)")
        insert.bind(1, key)
        insert.bind(2, validator.entityTag)
        insert.bind(3, validator.lastModified)
        insert.bind(4, validator.job)
        insert.bind(5, validator.path.joined(separator: "/"))
        try insert.run()
        // Finding the oldest reads all rows, so it is done on a few writes only; up to 1 % too many are kept meanwhile.
        let number = try connection.number("SELECT last_insert_rowid()") ?? 0
        if number % Int64(max(1, countMax / 100)) != 0 { return }
        // Numbers may have gaps of any size: in a copy of another store they are times. While they span less than the
        // limit, nothing is counted.
        let old = try connection.prepare(
            """
            DELETE FROM validator WHERE number <= CASE WHEN (SELECT max(number) FROM validator) \
            - (SELECT min(number) FROM validator) >= ?1 \
            THEN (SELECT number FROM validator ORDER BY number DESC LIMIT 1 OFFSET ?1) END
            """)
        old.bind(1, Int64(countMax))
        try old.run()
    }
}

extension ReaderSession {
    func validator(_ key: String) throws(SQLiteFailure) -> AnswerValidator? {
        let rows = try pageStatement("SELECT tag, modified, job, path FROM validator WHERE key = ?1")
        rows.bind(1, key)
        defer { rows.reset() }
        guard try rows.step() else { return nil }
        let job = rows.text(2)
        // A validator outlives its job; it is useless without the content, and the next successful answer replaces it.
        guard let id = JobID(job), try exists(id) else { return nil }
        return AnswerValidator(
            entityTag: rows.optionalText(0), lastModified: rows.optionalText(1),
            job: job, path: rows.text(3).split(separator: "/").map(String.init))
    }

    private func exists(_ id: JobID) throws(SQLiteFailure) -> Bool {
        let rows = try pageStatement("SELECT 1 FROM job WHERE id = ?1")
        rows.bind(1, id)
        defer { rows.reset() }
        return try rows.step()
    }
}
