import JobKit

extension NumberedEntry {
    /// All rows of a statement with bound values that selects place and bytes.
    /// - Throws: a failure with the code of damaged data when an entry cannot be read.
    static func rows(_ statement: SQLiteStatement, of id: JobID) throws(SQLiteFailure) -> [NumberedEntry] {
        defer { statement.reset() }
        var entries: [NumberedEntry] = []
        while try statement.step() {
            let sequence = JournalPlace.sequence(statement.integer(0))
            guard let entry = try? JournalEntry(decoding: statement.bytes(1)) else {
                throw SQLiteFailure.damaged("entry \(sequence) of the journal of \(id) cannot be read")
            }
            entries.append(NumberedEntry(sequence: sequence, entry: entry))
        }
        return entries
    }
}
