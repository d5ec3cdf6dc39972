import JobKit
import JobStore

/// Rows of tables whose columns are declared once, for all engines.
extension SQLiteStatement {
    /// Binds values in the order of their columns.
    func bind(_ values: [StoredValue]) {
        for (place, value) in values.enumerated() {
            let place = Int32(place) + 1
            switch value {
            case .null: bind(place, Int64?.none)
            case .number(let number): bind(place, number)
            case .text(let text): bind(place, text)
            case .bytes(let bytes): bind(place, bytes)
            case .id(let id): bind(place, id)
            }
        }
    }

    /// The values of the current row, which begins with these columns.
    func values(of columns: [StoredTable.Column]) -> [StoredValue] {
        columns.enumerated().map { place, column in
            let place = Int32(place)
            if isNull(place) { return .null }
            return switch column.kind {
            case .number, .flag: .number(integer(place))
            case .text, .word: .text(text(place))
            case .bytes: .bytes(bytes(place))
            case .id: .id(id(place))
            }
        }
    }

    /// The current row as a record; nil for one that this program does not know.
    func record<Row: TableRow>() throws(SQLiteFailure) -> Row? {
        var values = RowValues(values(of: Row.table.columns))
        do throws(StoredFormError) { return try Row(&values) } catch { throw .damaged(error.detail) }
    }

    /// The first row as a record. The statement is reset then.
    func first<Row: TableRow>() throws(SQLiteFailure) -> Row? {
        defer { reset() }
        return try step() ? try record() : nil
    }

    /// All rows as records. The statement is reset then.
    func records<Row: TableRow>() throws(SQLiteFailure) -> [Row] {
        defer { reset() }
        var found: [Row] = []
        while try step() { if let row: Row = try record() { found.append(row) } }
        return found
    }
}

extension StoredTable {
    /// The statement that stores a row.
    /// - Parameter keys: the columns by which it takes the place of another row.
    func insertion(replacing keys: String...) -> String {
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(list())) VALUES (\(marks)) \(keys.isEmpty ? "" : replacing(keys))"
    }
}

extension SQLiteConnection {
    /// Stores a row that is seldom stored.
    func insert(_ row: some TableRow) throws(SQLiteFailure) {
        try run(type(of: row).table.insertion(), row.values)
    }

    /// Runs a statement that stores a row.
    func run(_ insertion: String, _ values: [StoredValue]) throws(SQLiteFailure) {
        let insert = try prepare(insertion)
        insert.bind(values)
        try insert.run()
    }
}
