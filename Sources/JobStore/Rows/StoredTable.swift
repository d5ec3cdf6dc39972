package import JobKit

/// A table as all engines understand it: the one list of its columns.
package struct StoredTable: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case number, flag, text, bytes, id
        /// A text of ASCII characters, such as a digest.
        case word
    }

    package struct Column: Sendable, Hashable {
        package let name: String
        package let kind: Kind
    }

    package let name: String
    package let columns: [Column]

    package init(_ name: String, _ columns: KeyValuePairs<String, Kind>) {
        self.name = name
        self.columns = columns.map { Column(name: $0.key, kind: $0.value) }
    }

    private init(_ name: String, columns: [Column]) {
        self.name = name
        self.columns = columns
    }

    /// The table with the number that an engine gives to a row, before the columns of a record.
    package var numbered: StoredTable {
        StoredTable(name, columns: [Column(name: "number", kind: .number)] + columns)
    }

    /// The clause by which an insertion takes the place of the row with the same keys.
    package func replacing(_ keys: [String]) -> String {
        let others = columns.map(\.name).filter { !keys.contains($0) }.map { "\($0) = excluded.\($0)" }
        return "ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET \(others.joined(separator: ", "))"
    }

    /// The columns, as statements list them.
    /// - Parameters:
    ///   - expression: what is selected in place of a column; nil selects all of them.
    ///   - name: the name of that column.
    package func list(with expression: String? = nil, for name: String = "") -> String {
        columns.map { $0.name == name ? expression ?? name : $0.name }.joined(separator: ", ")
    }
}

/// A value in a row of a table, in no engine's form.
package enum StoredValue: Sendable, Hashable {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])
    case id(JobID)

    /// The space that it takes, roughly.
    package var byteCount: Int {
        switch self {
        case .null, .number, .id: 16
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    package init(_ number: Int64?) { self = number.map { .number($0) } ?? .null }

    package init(_ time: Timestamp?) { self.init(time?.milliseconds) }

    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    package init(_ id: JobID?) { self = id.map { .id($0) } ?? .null }
}
