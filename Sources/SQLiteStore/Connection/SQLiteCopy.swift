import CSystemSQLite
import Glibc

/// Copies a database page by page, as of one point in time, while others write.
enum SQLiteCopy {
    private static let pagesPerStep: Int32 = 256

    /// Copies the snapshot of `source`'s open transaction into `target`.
    /// - Parameter goesOn: called after each part; false stops.
    /// - Throws: the failure, or `.unfit` after a stop.
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
            // Leaves the disk to others for a moment.
            usleep(500)
        }
        _ = unsafe sqlite3_backup_finish(copy)
        if code != SQLITE_DONE { throw isEnded ? .unfit("the copy was ended") : target.failure(code) }
    }
}
