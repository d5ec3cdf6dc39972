import JobKit
import JobStore

/// Rows of tables whose columns are declared once, for all engines.
extension PostgresRows {
    /// The values of a row, which begins with these columns.
    func values(_ row: Int, of columns: [StoredTable.Column]) -> [StoredValue] {
        columns.enumerated().map { place, column in
            if isNull(row, place) { return .null }
            return switch column.kind {
            case .number, .flag: .number(integer(row, place))
            case .text, .word: .text(text(row, place))
            case .bytes: .bytes(bytes(row, place))
            case .id: .id(id(row, place))
            }
        }
    }

    /// A row as a record; nil for one that this program does not know.
    func record<Row: TableRow>(_ row: Int) throws(PostgresFailure) -> Row? {
        var values = RowValues(values(row, of: Row.table.columns))
        do throws(StoredFormError) { return try Row(&values) } catch { throw .damaged(error.detail) }
    }

    /// All rows as records.
    func records<Row: TableRow>() throws(PostgresFailure) -> [Row] {
        var found: [Row] = []
        for row in 0..<count { if let record: Row = try record(row) { found.append(record) } }
        return found
    }
}

extension TableRow {
    /// The values as parameters, in the order of the columns.
    var parameters: [PostgresValue] {
        zip(Self.table.columns, values).map { column, value in
            switch column.kind {
            case .number, .flag: .integer(value.number)
            case .text: .raw(value.text)
            case .word: .text(value.text)
            case .bytes: .bytes(value.bytes)
            case .id: .id(value.id)
            }
        }
    }
}

extension StoredTable {
    /// The statement that stores a row.
    func insertion(in schema: String) -> String {
        let marks = columns.indices.map { "$\($0 + 1)" }
        return "INSERT INTO \(schema).\(name) (\(list())) VALUES (\(marks.joined(separator: ", ")))"
    }

    /// The statement that stores a row, or stores it in place of another one.
    /// - Parameter keys: the columns that both have in common.
    func replacement(in schema: String, of keys: String...) -> String {
        "\(insertion(in: schema)) \(replacing(keys))"
    }
}

extension StoredValue {
    var number: Int64? { if case .number(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var id: JobID? { if case .id(let id) = self { id } else { nil } }
}
