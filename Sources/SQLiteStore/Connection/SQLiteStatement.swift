import CSystemSQLite
import JobKit
import JobStore

/// A prepared statement. As in SQLite, bound values are numbered from 1 and columns from 0.
// Safe because the pointers never leave this class, bound bytes lie in `scratch` or are copied by SQLite until the
// statement is reset, and both pointers are freed once, in `deinit`.
@safe final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let handle: OpaquePointer
    /// The bound texts and blobs, so that SQLite need not copy and free each.
    private let scratch: UnsafeMutableRawPointer
    private var used = 0
    private let scratchBytes: Int

    init(_ sql: String, scratchBytes: Int, on connection: SQLiteConnection) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(connection.handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let pointer = unsafe prepared else { throw connection.failure(code) }
        self.connection = connection
        unsafe handle = pointer
        self.scratchBytes = scratchBytes
        unsafe scratch = UnsafeMutableRawPointer.allocate(byteCount: scratchBytes, alignment: 8)
    }

    deinit {
        _ = unsafe sqlite3_finalize(handle)
        unsafe scratch.deallocate()
    }

    /// The values that `read` makes of the rows. The statement is reset then.
    func all<Value>(
        _ read: (SQLiteStatement) throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> [Value] {
        defer { reset() }
        var found: [Value] = []
        while try step() { found.append(try read(self)) }
        return found
    }

    // MARK: Binding

    func bind(_ index: Int32, _ value: Int64) {
        _ = unsafe sqlite3_bind_int64(handle, index, value)
    }

    /// Binds a number or NULL.
    func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { _ = unsafe sqlite3_bind_null(handle, index) }
    }

    /// Binds a timestamp in milliseconds, or NULL.
    func bind(_ index: Int32, _ value: Timestamp?) { bind(index, value?.milliseconds) }

    /// Binds a text or NULL. U+0000 is an ordinary character.
    func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            _ = unsafe sqlite3_bind_null(handle, index)
            return
        }
        value.withUTF8 { bytes in
            let count = Int32(clamping: bytes.count)
            let raw = UnsafeRawBufferPointer(bytes)
            if let kept = unsafe keep(raw) {
                _ = unsafe csqlite_bind_text_static(
                    handle, index, kept.assumingMemoryBound(to: CChar.self), count)
            } else {
                _ = unsafe csqlite_bind_text_copy(
                    handle, index, raw.assumingMemoryBound(to: CChar.self).baseAddress, count)
            }
        }
    }

    /// Binds a blob; an empty one is not NULL.
    func bind(_ index: Int32, _ value: [UInt8]) {
        if value.isEmpty {
            _ = unsafe sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        unsafe value.withUnsafeBytes { bytes in
            let count = Int32(clamping: bytes.count)
            if let kept = unsafe keep(bytes) {
                _ = unsafe csqlite_bind_blob_static(handle, index, kept, count)
            } else {
                _ = unsafe csqlite_bind_blob_copy(handle, index, bytes.baseAddress, count)
            }
        }
    }

    /// Binds an id as 16 bytes, big-endian, so that blobs sort as ids do.
    func bind(_ index: Int32, _ id: JobID) {
        var halves = (id.high.bigEndian, id.low.bigEndian)
        unsafe withUnsafeBytes(of: &halves) { bytes in
            if let kept = unsafe keep(bytes) {
                _ = unsafe csqlite_bind_blob_static(handle, index, kept, 16)
            } else {
                _ = unsafe csqlite_bind_blob_copy(handle, index, bytes.baseAddress, 16)
            }
        }
    }

    /// Copies bytes into the scratch memory; nil when they do not fit.
    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard bytes.count <= scratchBytes - used else { return nil }
        let place = unsafe scratch + used
        if let base = bytes.baseAddress { unsafe place.copyMemory(from: base, byteCount: bytes.count) }
        used += bytes.count
        return UnsafeRawPointer(place)
    }

    // MARK: Running

    /// Advances to the next row. Returns false after the last one, and then the statement is ready for its next use.
    func step() throws(SQLiteFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        let failed = code == SQLITE_DONE ? nil : connection.failure(code)
        reset()
        if let failed { throw failed }
        return false
    }

    /// Runs a statement that returns no rows.
    func run() throws(SQLiteFailure) {
        if try step() { reset() }
    }

    /// Runs a statement that returns no rows, binding a large blob without a copy.
    func run(with value: [UInt8], at index: Int32) throws(SQLiteFailure) {
        if value.count <= 512 {
            bind(index, value)
            return try run()
        }
        try unsafe value.withUnsafeBufferPointer { bytes throws(SQLiteFailure) in
            _ = unsafe csqlite_bind_blob_static(
                handle, index, bytes.baseAddress, Int32(clamping: bytes.count))
            defer { _ = unsafe sqlite3_bind_null(handle, index) }
            try run()
        }
    }

    /// Makes the statement ready for its next use. Required when not all rows were read.
    func reset() {
        _ = unsafe sqlite3_reset(handle)
        used = 0
    }

    // MARK: Reading

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func time(_ column: Int32) -> Timestamp? { optionalInteger(column).map { Timestamp(milliseconds: $0) } }

    /// A text; NULL is empty. Asked for as bytes: SQLite would copy a text, to end it with a zero.
    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// A blob; NULL is empty.
    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// An id; all zero when the column holds none.
    func id(_ column: Int32) -> JobID {
        guard let start = unsafe sqlite3_column_blob(handle, column),
            unsafe sqlite3_column_bytes(handle, column) == 16
        else { return JobID(high: 0, low: 0) }
        return unsafe JobID(
            high: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
