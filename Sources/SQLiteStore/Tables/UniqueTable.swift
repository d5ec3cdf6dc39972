import JobKit
import JobStore

/// Unique keys: the unfinished jobs with one key form a line ordered by their numbers. The first holds the key.
struct UniqueTable: UniqueRows {
    private let insert, keyOf, delete, firstOfKey, lastOfKey, allOfKey, idOf: SQLiteStatement
    private let jobs: JobTable

    init(_ connection: SQLiteConnection, _ jobs: JobTable) throws(SQLiteFailure) {
        self.jobs = jobs
        insert = try connection.prepare("INSERT OR REPLACE INTO uniqueness VALUES (?1, ?2, ?3)")
        keyOf = try connection.prepare("SELECT key FROM uniqueness WHERE number = ?1")
        delete = try connection.prepare("DELETE FROM uniqueness WHERE number = ?1")
        let line = "SELECT number FROM uniqueness INDEXED BY uniqueness_line WHERE key = ?1 AND is_over = 0 "
        firstOfKey = try connection.prepare(line + "ORDER BY number LIMIT 1")
        lastOfKey = try connection.prepare(line + "ORDER BY number DESC LIMIT 1")
        allOfKey = try connection.prepare(line + "ORDER BY number")
        idOf = try connection.prepare("SELECT id FROM job WHERE number = ?1")
    }

    /// No other server changes lines.
    func lock(_ keys: [String]) throws(SQLiteFailure) {}

    func holder(of key: String) throws(SQLiteFailure) -> JobID? { try ids(firstOfKey, key).first }

    func last(of key: String) throws(SQLiteFailure) -> JobID? { try ids(lastOfKey, key).first }

    func line(of key: String) throws(SQLiteFailure) -> [JobID] { try ids(allOfKey, key) }

    func key(of job: StoredJob) throws(SQLiteFailure) -> String? {
        keyOf.bind(1, job.number)
        defer { keyOf.reset() }
        return try keyOf.step() ? keyOf.text(0) : nil
    }

    func put(_ key: String, of job: StoredJob, isOver: Bool) throws(SQLiteFailure) {
        insert.bind(1, job.number)
        insert.bind(2, key)
        insert.bind(3, isOver ? 1 : 0)
        try insert.run()
    }

    /// Adds a new job at the end of the line for its key; it waits when another job is ahead.
    func enter(_ job: inout StoredJob, _ key: String) throws(SQLiteFailure) {
        job.flags.insert(.unique)
        if let holder = try holder(of: key) { job.awaitTurn(for: key, behind: holder) }
        try put(key, of: job, isOver: false)
    }

    /// Removes the key of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }

    private func ids(_ statement: SQLiteStatement, _ key: String) throws(SQLiteFailure) -> [JobID] {
        let numbers = try numbers(statement, key)
        if numbers.isEmpty { return [] }
        try jobs.insertRows()
        var ids: [JobID] = []
        for number in numbers {
            idOf.bind(1, number)
            defer { idOf.reset() }
            if try idOf.step() { ids.append(idOf.id(0)) }
        }
        return ids
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
