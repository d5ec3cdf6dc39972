import JobKit

extension NumberedEntry {
    /// All entries in the rows of a statement with bound values that selects place and bytes.
    ///
    /// A row holds the entries of one step, one on each line; its place is that of the last of them.
    /// - Throws: a failure with the code of damaged data when an entry cannot be read.
    static func rows(_ statement: SQLiteStatement, of id: JobID) throws(SQLiteFailure) -> [NumberedEntry] {
        defer { statement.reset() }
        var entries: [NumberedEntry] = []
        while try statement.step() {
            let lines = statement.bytes(1).split(separator: 0x0A)
            guard !lines.isEmpty else {
                throw SQLiteFailure.damaged("a row of the journal of \(id) is empty")
            }
            var sequence = JournalPlace.sequence(statement.integer(0)) - Int64(lines.count)
            for line in lines {
                sequence += 1
                guard let entry = try? JournalEntry(decoding: Array(line)) else {
                    throw SQLiteFailure.damaged("entry \(sequence) of the journal of \(id) cannot be read")
                }
                entries.append(NumberedEntry(sequence: sequence, entry: entry))
            }
        }
        return entries
    }
}
