// DESIGN
// PostgreSQL expects ten rows of a list whose length it does not know, and that each look-up in an index reads its
// share of the pages: pages by live rows. While a snapshot is held back, dead rows stay, and an index has hundreds of
// pages for each row that lives: then one scan of all of it seems cheaper than ten look-ups, and is made for each
// statement. Of a list with a limit that it does not know it expects one row.

/// The rows of lists, such as of ids and values, each of which is looked up in an index.
enum ListedRows {
    /// - Parameter lists: the parameters with their types, from `$1` on, each as long as the first.
    static func sql(_ lists: String) -> String { "(SELECT * FROM unnest(\(lists)) LIMIT cardinality($1))" }
}
