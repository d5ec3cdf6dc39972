/// The prepared statements of the write connection for ends that are to be told of.
struct CallbackStatements {
    let put, delete, settle: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        put = try connection.prepare("INSERT OR REPLACE INTO callback VALUES (?1, ?2)")
        delete = try connection.prepare("DELETE FROM callback WHERE number = ?1")
        settle = try connection.prepare(
            "DELETE FROM callback WHERE number = (SELECT number FROM job WHERE id = ?1) AND revision = ?2")
    }
}
