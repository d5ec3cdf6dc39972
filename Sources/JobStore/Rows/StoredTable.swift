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

    /// The columns, as statements list them.
    /// - Parameter others: what is selected in place of a column.
    package func list(_ others: [String: String] = [:]) -> String {
        columns.map { others[$0.name] ?? $0.name }.joined(separator: ", ")
    }
}
