import CSystemSQLite
import JobStore

/// An error of SQLite.
struct SQLiteFailure: Error, Sendable {
    /// The extended result code.
    var code: Int32
    var message: String

    /// The primary result code.
    var primary: Int32 { code & 0xFF }

    /// The failure of a value that this program did not write; the file itself is sound.
    static func damaged(_ message: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_MISMATCH, message: message)
    }

    /// Whether a single value is damaged and the file is sound.
    var isDamagedValue: Bool { primary == SQLITE_MISMATCH }

    /// The failure of an operation that cannot be done at all.
    static func unfit(_ message: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_TOOBIG, message: message)
    }

    /// The failure for a database into which another store was not copied to the end.
    static let unfinishedCopy = SQLiteFailure(
        code: SQLITE_NOTICE, message: "a copy into it was interrupted")

    /// The failure for a database that a version before the first release made.
    static let unreleased = SQLiteFailure(
        code: SQLITE_WARNING, message: "a version before the first release made it")

    /// Whether an operation cannot be done at all.
    var isUnfit: Bool { primary == SQLITE_TOOBIG }

    /// The failure for a database whose schema is newer than this program.
    static func newerVersion(_ version: Int64, than newest: Int64) -> SQLiteFailure {
        SQLiteFailure(
            code: SQLITE_FORMAT,
            message:
                "its format is number \(version), and this version knows formats up to \(newest)"
        )
    }

    /// Whether a constraint was violated, which leaves the connection usable.
    var isConstraint: Bool { primary == SQLITE_CONSTRAINT }

    /// Whether the connection cannot be trusted any more and must be reopened.
    var isConnectionLost: Bool {
        switch primary {
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISUSE, SQLITE_READONLY,
            SQLITE_NOMEM, SQLITE_PROTOCOL:
            true
        default: false
        }
    }

    /// Whether the content of the file is damaged.
    var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// Whether the disk is full.
    var isFull: Bool { primary == SQLITE_FULL }

    /// The message about a damaged database.
    static func damage(of path: String, _ what: String) -> String {
        "\(path) is damaged (\(what)). New jobs are not taken. Stop the server, check the disk, and restore the "
            + "last backup; jobserver doctor shows more."
    }

    /// Translates the failure for callers of the store. `doing` names the action, `path` the database.
    func storeError(doing: String, path: String) -> JobStoreError {
        switch primary {
        case SQLITE_FULL:
            JobStoreError(
                .diskFull,
                "\(doing): no space is left for \(path). Nothing was changed; free some space and try again.")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH:
            JobStoreError(
                .corrupt,
                "\(doing): \(path) is damaged (\(message)). Restore it from a backup, or move it away to start empty."
            )
        case SQLITE_FORMAT:
            JobStoreError(
                .unavailable,
                "\(doing): \(path) was made by a newer version of this program: \(message). "
                    + "Start that newer version, or use another data directory.")
        case SQLITE_WARNING:
            JobStoreError(
                .unavailable,
                "\(doing): a version before the first release made \(path), which this one cannot read; move the "
                    + "directory away to start empty, or name another with --data.")
        case SQLITE_NOTICE:
            JobStoreError(
                .unavailable,
                "\(doing): \(path) is an unfinished copy of another store. Run jobserver copy with the same --from and "
                    + "--to again, and with --restart, which begins the copy anew.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            JobStoreError(
                .unavailable,
                "\(doing): \(path) is locked by another program (\(message)). End that program and try again."
            )
        default:
            JobStoreError(
                .unavailable,
                "\(doing): \(path) cannot be read or written (\(message), SQLite code \(code)). "
                    + "Nothing was changed. Check the disk and the rights to the directory, then try again."
            )
        }
    }
}
