/// The prepared statements of the write connection for unique keys.
struct UniqueStatements {
    let put, keyOf, delete, first, last, all: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        put = try connection.prepare("INSERT OR REPLACE INTO uniqueness VALUES (?1, ?2, ?3)")
        keyOf = try connection.prepare("SELECT key FROM uniqueness WHERE number = ?1")
        delete = try connection.prepare("DELETE FROM uniqueness WHERE number = ?1")
        let line = "SELECT number FROM uniqueness INDEXED BY uniqueness_line WHERE key = ?1 AND is_over = 0 "
        first = try connection.prepare(line + "ORDER BY number LIMIT 1")
        last = try connection.prepare(line + "ORDER BY number DESC LIMIT 1")
        all = try connection.prepare(line + "ORDER BY number")
    }
}
