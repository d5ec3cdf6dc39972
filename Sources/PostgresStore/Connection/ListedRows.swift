// DESIGN
// PostgreSQL expects ten rows of a list whose length it does not know, and that each look-up in an index reads its
// share of the pages: pages by live rows. While a snapshot is held back, dead rows stay, and an index has hundreds of
// pages for each row that lives: then one scan of all of it seems cheaper than ten look-ups, and is made for each
// statement. Of a list with a limit that it does not know it expects one row. And when a vacuum found no more than one
// live row, PostgreSQL takes the whole index for one page, so that a scan of it costs as much as a look-up. So the rows
// of a table that is often empty are looked up before they are joined, in a subquery that can be planned in one way.

/// The rows of lists, such as of ids and values, each of which is looked up in an index.
enum ListedRows {
    /// - Parameter lists: the parameters with their types, from `$1` on, each as long as the first.
    static func sql(_ lists: String) -> String { "(SELECT * FROM unnest(\(lists)) LIMIT cardinality($1))" }

    /// The rows of lists, each with the `place` (ctid) of the row of `table` with its `id`. A row that another
    /// transaction changes before the place is used is not found there.
    /// - Parameter names: of the lists; `id` is one of them.
    static func sql(_ lists: String, _ names: String, in table: String) -> String {
        """
        (SELECT given.*, found.place FROM \(sql(lists)) AS given (\(names)) CROSS JOIN LATERAL \
        (SELECT ctid AS place FROM \(table) WHERE id = given.id OFFSET 0) AS found)
        """
    }
}
