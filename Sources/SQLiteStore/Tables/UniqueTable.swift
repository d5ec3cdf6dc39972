import JobKit
import JobStore

/// Unique keys: the unfinished jobs with one key form a line ordered by their numbers. The first holds the key.
struct UniqueTable {
    private let insert, keyOf, delete, firstOfKey, lastOfKey, allOfKey: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT OR REPLACE INTO uniqueness VALUES (?1, ?2, ?3)")
        keyOf = try connection.prepare("SELECT key FROM uniqueness WHERE number = ?1")
        delete = try connection.prepare("DELETE FROM uniqueness WHERE number = ?1")
        let line = "SELECT number FROM uniqueness INDEXED BY uniqueness_line WHERE key = ?1 AND is_over = 0 "
        firstOfKey = try connection.prepare(line + "ORDER BY number LIMIT 1")
        lastOfKey = try connection.prepare(line + "ORDER BY number DESC LIMIT 1")
        allOfKey = try connection.prepare(line + "ORDER BY number")
    }

    /// The job that holds the key.
    func holder(of key: String) throws(SQLiteFailure) -> Int64? { try numbers(firstOfKey, key).first }

    /// The last job in the line for the key.
    func last(of key: String) throws(SQLiteFailure) -> Int64? { try numbers(lastOfKey, key).first }

    /// All jobs in the line for the key.
    func line(of key: String) throws(SQLiteFailure) -> [Int64] { try numbers(allOfKey, key) }

    func key(of number: Int64) throws(SQLiteFailure) -> String? {
        keyOf.bind(1, number)
        defer { keyOf.reset() }
        return try keyOf.step() ? keyOf.text(0) : nil
    }

    /// Adds a job to the line for the key, or marks it as over.
    func put(_ key: String, of number: Int64, isOver: Bool) throws(SQLiteFailure) {
        insert.bind(1, number)
        insert.bind(2, key)
        insert.bind(3, isOver ? 1 : 0)
        try insert.run()
    }

    /// Removes the key of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }

    private func numbers(_ statement: SQLiteStatement, _ key: String) throws(SQLiteFailure) -> [Int64] {
        statement.bind(1, key)
        defer { statement.reset() }
        var numbers: [Int64] = []
        while try statement.step() { numbers.append(statement.integer(0)) }
        return numbers
    }
}

extension ReaderSession {
    func uniqueLine(before id: JobID) throws(SQLiteFailure) -> UniqueLine? {
        let rows = try connection.prepare(
            """
            WITH me AS (SELECT uniqueness.number, key FROM uniqueness JOIN job USING (number) WHERE job.id = ?1), \
            line AS (SELECT number FROM uniqueness INDEXED BY uniqueness_line WHERE is_over = 0 \
            AND key = (SELECT key FROM me) AND number < (SELECT number FROM me) ORDER BY number LIMIT 10000) \
            SELECT (SELECT key FROM me), job.id, (SELECT count(*) FROM line) FROM job \
            WHERE number = (SELECT min(number) FROM line)
            """)
        rows.bind(1, id)
        guard try rows.step() else { return nil }
        return UniqueLine(key: rows.text(0), holder: rows.id(1), ahead: Int(rows.integer(2)))
    }
}
