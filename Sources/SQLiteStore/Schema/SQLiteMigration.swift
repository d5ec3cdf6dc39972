import JobStore

/// One numbered migration of the database. Migrations are only ever added; `user_version` of the file is the number of
/// the last one applied.
struct SQLiteMigration {
    /// The number, from 1 without gaps.
    var number: Int64
    /// The statements. They run in one transaction together with the new `user_version`.
    var sql: String

    /// All migrations, in order.
    static let all = [SQLiteMigration(number: 1, sql: "PRAGMA application_id = \(mark);\n\(first)")]

    /// The `application_id` of the file, which says what its version counts. Files of versions before the first release
    /// have none, and counted otherwise.
    static let mark: Int64 = 0x4A6F_6253

    /// The schema version of this program.
    static var newest: Int64 { all.last?.number ?? 0 }

    /// The number in place of the schema version while the store becomes a copy of another one. Older programs take it
    /// for that of a newer one.
    static let copying: Int64 = 1_000_000

    /// The version of a database; 0 for a new one.
    /// - Throws: for one that this program cannot migrate.
    static func version(of connection: SQLiteConnection) throws(SQLiteFailure) -> Int64 {
        let version = try connection.number("PRAGMA user_version") ?? 0
        if version == 0 { return 0 }
        if try connection.number("PRAGMA application_id") != mark { throw .unreleased }
        if version == copying { throw .unfinishedCopy }
        if version > newest { throw .newerVersion(version, than: newest) }
        return version
    }

    /// Migrates a database of a version to the newest schema.
    static func run(
        _ steps: [SQLiteMigration] = all, from version: Int64, on connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        for step in steps where step.number > version {
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteFailure) {
                try connection.execute(step.sql)
                try connection.execute("PRAGMA user_version = \(step.number)")
                try connection.execute("COMMIT")
            } catch {
                try? connection.execute("ROLLBACK")
                throw error
            }
        }
    }
}
