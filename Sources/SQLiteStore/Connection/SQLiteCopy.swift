import CSQLite
import Glibc

/// Copies a database page by page, as it was at one moment, while others write.
enum SQLiteCopy {
    private static let pagesPerStep: Int32 = 256

    /// Copies what `source` sees, in its open transaction, into `target`.
    /// - Parameter goesOn: asked after each part; false ends the copy.
    /// - Throws: what failed, or `.unfit` when the copy was ended.
    static func run(
        from source: SQLiteConnection, to target: SQLiteConnection, goesOn: () -> Bool
    ) throws(SQLiteFailure) {
        guard let copy = unsafe sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure(0)
        }
        var code = SQLITE_OK
        var isEnded = false
        while code == SQLITE_OK && !isEnded {
            code = unsafe sqlite3_backup_step(copy, pagesPerStep)
            isEnded = !goesOn()
            // Others have their turn at the disk.
            usleep(500)
        }
        _ = unsafe sqlite3_backup_finish(copy)
        if code != SQLITE_DONE { throw isEnded ? .unfit("the copy was ended") : target.failure(code) }
    }
}
