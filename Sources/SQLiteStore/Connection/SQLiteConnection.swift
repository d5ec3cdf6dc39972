import CSQLite
import Synchronization

/// One connection to one database file. It belongs to one thread at a time.
// Safe because the pointer never leaves this folder, every statement that uses it keeps this object alive, and it is
// freed once, in `deinit`.
@safe final class SQLiteConnection {
    let handle: OpaquePointer

    /// The mode in which a file is opened.
    enum Mode {
        case readWrite, readOnly
    }

    /// Opens `path`. Closing never moves the write-ahead log: that is the writer's business alone.
    /// - Parameter fileAccess: the name of SQLite's layer below, see `SQLiteOptions.fileAccess`.
    init(path: String, mode: Mode, fileAccess: String) throws(SQLiteFailure) {
        Self.prepareLibrary()
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, fileAccess)
        guard let pointer = unsafe opened else { throw SQLiteFailure(code: code, message: "out of memory") }
        guard code == SQLITE_OK else {
            let failure = unsafe SQLiteFailure(
                code: sqlite3_extended_errcode(pointer), message: String(cString: sqlite3_errmsg(pointer)))
            _ = unsafe sqlite3_close_v2(pointer)
            throw failure
        }
        unsafe handle = pointer
        _ = unsafe sqlite3_extended_result_codes(pointer, 1)
        _ = unsafe csqlite_forbid_checkpoint_on_close(pointer)
    }

    deinit { _ = unsafe sqlite3_close_v2(handle) }

    /// Runs statements that answer nothing.
    func execute(_ sql: String) throws(SQLiteFailure) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code) }
    }

    /// Prepares one statement, to be used many times.
    /// - Parameter scratchBytes: what the texts and blobs that are bound to it usually take.
    func prepare(_ sql: String, scratchBytes: Int = 2_048) throws(SQLiteFailure) -> SQLiteStatement {
        try SQLiteStatement(sql, scratchBytes: scratchBytes, on: self)
    }

    /// The first column of the first row as a number; nil when there is no row.
    func number(_ sql: String) throws(SQLiteFailure) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row as text; nil when there is no row.
    func text(_ sql: String) throws(SQLiteFailure) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed.
    var changedRows: Int { unsafe Int(sqlite3_changes(handle)) }

    /// The number of pages handed to the file so far; rises with every commit that wrote something.
    var pagesWritten: Int {
        var current: Int32 = 0
        var highest: Int32 = 0
        _ = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return Int(current)
    }

    /// Moves the write-ahead log into the database file. Only the writer may.
    /// - Returns: how many pages the log still holds that were not moved.
    func checkpoint(truncating: Bool) throws(SQLiteFailure) -> Int {
        var logged: Int32 = 0
        var moved: Int32 = 0
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &moved)
        if code != SQLITE_OK && code != SQLITE_BUSY { throw failure(code) }
        return Int(max(0, logged)) - Int(max(0, moved))
    }

    /// The failure with this code, in SQLite's words.
    func failure(_ code: Int32) -> SQLiteFailure {
        unsafe SQLiteFailure(
            code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    }

    private static let isPrepared = csqlite_forget_memory_statistics() == SQLITE_OK

    private static func prepareLibrary() { _ = isPrepared }
}
