// DESIGN
// A statement that inserts one row spends half of its time on opening the table with its indexes and on finding the end
// of each. So rows are gathered, and one statement inserts up to twenty. It is prepared once, for the maximum number of
// rows: a row whose first value is NULL is skipped.
//
// The rows of one statement succeed or fail with the transaction. `OR FAIL` tells SQLite that it need not undo the
// first rows when the last is refused, which would cost it a copy of every page: the caller rolls back the whole
// transaction.
//
// A row that is alone has a statement of its own: to skip nineteen others, and to clear the registers of twenty, costs
// a third as much as to insert it.

/// Gathers rows of one table and inserts several at a time.
final class RowInsert {
    private let connection: SQLiteConnection
    private let sql: String
    private let columns: Int32
    private let scratchBytes: Int
    private let single: SQLiteStatement
    private var prepared: SQLiteStatement?
    /// The number of gathered rows, and of those in the statement whose first value is not NULL.
    private var count: Int32 = 0
    private var filled: Int32 = 0
    private static let rowsMax: Int32 = 20

    /// - Parameters:
    ///   - columns: the names; the first column must never be NULL.
    ///   - scratchBytes: the usual size of the texts and blobs of all rows.
    init(
        into table: String, columns: [String], scratchBytes: Int, on connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        self.connection = connection
        self.columns = Int32(columns.count)
        self.scratchBytes = scratchBytes
        let rows = (0..<Int(Self.rowsMax)).map { row in
            let first = row * columns.count + 1
            let values = (first..<first + columns.count).map { "?\($0)" }.joined(separator: ", ")
            return "SELECT \(values) WHERE ?\(first) IS NOT NULL"
        }
        let head = "INSERT OR FAIL INTO \(table) (\(columns.joined(separator: ", "))) "
        sql = head + rows.joined(separator: " UNION ALL ")
        let values = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
        single = try connection.prepare(
            head + "VALUES (\(values))", scratchBytes: scratchBytes / Int(Self.rowsMax) * 4)
    }

    /// Gathers a row, or inserts it and those before it.
    /// - Parameter bind: binds all columns; receives the statement and the index before the row's first column.
    func add(gathers: Bool, _ bind: (SQLiteStatement, Int32) -> Void) throws(SQLiteFailure) {
        if !gathers && count == 0 {
            bind(single, 0)
            return try single.run()
        }
        let statement = try statement()
        bind(statement, count * columns)
        count += 1
        filled = max(filled, count)
        if count == Self.rowsMax || !gathers { try run() }
    }

    /// Inserts the gathered rows. When it throws, the transaction must be rolled back.
    func run() throws(SQLiteFailure) {
        guard count > 0, let prepared else { return }
        while filled > count {
            filled -= 1
            prepared.bind(filled * columns + 1, Int64?.none)
        }
        count = 0
        try prepared.run()
    }

    /// Discards the gathered rows.
    func forget() {
        guard count > 0 else { return }
        count = 0
        prepared?.reset()
    }

    private func statement() throws(SQLiteFailure) -> SQLiteStatement {
        if let prepared { return prepared }
        let statement = try connection.prepare(sql, scratchBytes: scratchBytes)
        prepared = statement
        return statement
    }
}
