import CSystemSQLite
import Synchronization

/// A connection to a database file. It belongs to one thread at a time.
// Safe because the pointer never leaves this folder, every statement that uses it retains this object, and it is freed
// once, in `deinit`.
@safe final class SQLiteConnection {
    let handle: OpaquePointer

    enum Mode {
        case readWrite, readOnly
    }

    /// Opens `path`. Closing never checkpoints, which only the writer does.
    /// - Parameter fileAccess: the name of the VFS, see `SQLiteOptions.fileAccess`.
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

    /// Runs statements that return no rows.
    func execute(_ sql: String) throws(SQLiteFailure) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code) }
    }

    /// Prepares a statement for repeated use.
    /// - Parameter scratchBytes: the usual size of the texts and blobs bound to it.
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

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed.
    var changedRows: Int { unsafe Int(sqlite3_changes(handle)) }

    /// The number of pages written so far; rises with every commit that wrote something.
    var pagesWritten: Int {
        var current: Int32 = 0
        var highest: Int32 = 0
        _ = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return Int(current)
    }

    /// Moves the write-ahead log into the database file. For the writer only.
    /// - Parameter truncating: whether to wait for reads that need the log, and cut its file to nothing.
    /// - Returns: the number of pages in the log that were not moved.
    func checkpoint(truncating: Bool) throws(SQLiteFailure) -> Int {
        var logged: Int32 = 0
        var moved: Int32 = 0
        // A passive one takes no lock against writes, and its pages could not be gathered: see `gathering.h`.
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_FULL
        let code = waiting(upTo: truncating ? Self.waitMilliseconds : 0) {
            unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &moved)
        }
        if code != SQLITE_OK && code != SQLITE_BUSY { throw failure(code) }
        return Int(max(0, logged)) - Int(max(0, moved))
    }

    /// Moves the write-ahead log into the database file and cuts its file to nothing. For the writer only.
    /// - Returns: whether it did: a read that began before may need the log.
    func emptyLog() throws(SQLiteFailure) -> Bool {
        // A long read must not hold up the writes behind this.
        let code = waiting(upTo: 20) {
            unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        }
        if code & 0xFF == SQLITE_BUSY { return false }
        if code != SQLITE_OK { throw failure(code) }
        return true
    }

    /// The time for which a statement of the writer waits for a lock.
    static let waitMilliseconds: Int32 = 2_000

    /// Runs `body`, which waits for locks no longer than this.
    private func waiting(upTo milliseconds: Int32, _ body: () -> Int32) -> Int32 {
        _ = unsafe sqlite3_busy_timeout(handle, milliseconds)
        defer { _ = unsafe sqlite3_busy_timeout(handle, Self.waitMilliseconds) }
        return body()
    }

    /// The failure with this code and SQLite's message.
    func failure(_ code: Int32) -> SQLiteFailure {
        unsafe SQLiteFailure(
            code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    }

    /// The file access that writes the frames of a commit to the log in one piece, and so the neighbours among the
    /// pages of a checkpoint; for connections that sync each commit.
    /// - Parameter fileAccess: the name of the VFS below.
    static func gatheringWrites(_ fileAccess: String) -> String {
        prepareLibrary()
        let name = "gathering-" + fileAccess
        // Without the layer every frame and page is written for itself.
        let code = gathering.withLock { _ in unsafe csqlite_gather_writes(fileAccess, name) }
        return code == SQLITE_OK ? name : fileAccess
    }

    private static let gathering = Mutex(())

    private static let isPrepared = csqlite_forget_memory_statistics() == SQLITE_OK

    private static func prepareLibrary() { _ = isPrepared }
}
