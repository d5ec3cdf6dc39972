// DESIGN
// PostgreSQL expects ten rows of a list whose length it does not know, and that each look-up in an index reads its
// share of the pages: pages by live rows. While a snapshot is held back, dead rows stay, and an index has hundreds of
// pages for each row that lives: then one scan of all of it seems cheaper than ten look-ups, and is made for each
// statement. Of a list with a limit that it does not know it expects one row. And when a vacuum found no more than one
// live row, PostgreSQL takes the whole index for one page, so that a scan of it costs as much as a look-up. So the rows
// of a table that is often empty are looked up before they are joined, in a subquery that can be planned in one way:
// OFFSET 0 keeps it from being merged with the statement around it. What only asks whether a row exists does the same.

/// The rows of lists, such as of ids and values, each of which is looked up in an index. A row of a table that is often
/// empty is changed by its place (ctid): joined by its key, it could be found by a scan.
enum ListedRows {
    /// - Parameter lists: the parameters with their types, from `$1` on, each as long as the first.
    static func sql(_ lists: String) -> String { "(SELECT * FROM unnest(\(lists)) LIMIT cardinality($1))" }

    /// The rows of lists, each with columns of the rows of `table` that have its keys.
    /// - Parameters:
    ///   - names: of the lists.
    ///   - further: a condition, after the names of the table.
    static func sql(
        _ lists: String, _ names: String, in table: String, by keys: [String], _ columns: String,
        _ further: String = ""
    ) -> String {
        let isFound = keys.map { "\($0) = given.\($0)" }.joined(separator: " AND ")
        return """
            (SELECT given.*, found.* FROM \(sql(lists)) AS given (\(names)) CROSS JOIN LATERAL \
            (SELECT \(columns) FROM \(table) WHERE \(isFound)\(further) OFFSET 0) AS found)
            """
    }

    /// The rows of lists, each with the `place` (ctid) of the row of `table` with its keys. A row that another
    /// transaction changes before the place is used is not found there.
    /// - Parameter names: of the lists; the keys are among them.
    static func sql(_ lists: String, _ names: String, in table: String, by keys: String...) -> String {
        sql(lists, names, in: table, by: keys, "ctid AS place")
    }
}
