/// The different values of an indexed column. Each is looked up behind the one before, however many rows have it.
enum LeapQuery {
    /// - Parameters:
    ///   - first: selects the first value.
    ///   - next: selects the first value above `leap.value`.
    static func sql(first: String, next: String) -> String {
        """
        WITH RECURSIVE leap (value) AS ((\(first)) UNION ALL \
        SELECT (\(next)) FROM leap WHERE leap.value IS NOT NULL) \
        SELECT value FROM leap WHERE value IS NOT NULL
        """
    }
}
