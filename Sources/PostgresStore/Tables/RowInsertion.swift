/// A statement that inserts many rows into one table. PostgreSQL takes rows from a list for each column; a column with
/// the same value in all rows costs the least as one value, and most columns of most groups are so.
struct RowInsertion {
    private let bundles: [[Int]]
    /// The statements by the bundles whose columns have one value each, as bits.
    private let statements: [String]

    /// - Parameters:
    ///   - table: its first columns are those of `types`.
    ///   - bundles: columns that are sent as one value each when all of a bundle can be.
    init(into table: String, _ types: [String], bundles: [[Int]]) {
        self.bundles = bundles
        statements = (0..<1 << bundles.count).map { bits in
            let alike = Set(bundles.indices.filter { bits & 1 << $0 != 0 }.flatMap { bundles[$0] })
            let places = types.indices
            let lists = places.filter { !alike.contains($0) }.map { "$\($0 + 1)::\(types[$0])[]" }
            let names = places.filter { !alike.contains($0) }.map { "c\($0)" }
            let columns = places.map { alike.contains($0) ? "$\($0 + 1)::\(types[$0])" : "new.c\($0)" }
            return """
                INSERT INTO \(table) SELECT \(columns.joined(separator: ", ")) \
                FROM unnest(\(lists.joined(separator: ", "))) AS new (\(names.joined(separator: ", ")))
                """
        }
    }

    /// Inserts rows, later.
    /// - Parameter columns: a list for each column.
    func run(on connection: PostgresConnection, _ columns: [PostgresValue]) throws(PostgresFailure) {
        var columns = columns
        var bits = 0
        for (number, bundle) in bundles.enumerated() {
            var common: [PostgresValue] = []
            for place in bundle {
                guard let value = columns[place].common else { break }
                common.append(value)
            }
            guard common.count == bundle.count else { continue }
            for (place, value) in zip(bundle, common) { columns[place] = value }
            bits |= 1 << number
        }
        try connection.later(statements[bits], columns)
    }
}
