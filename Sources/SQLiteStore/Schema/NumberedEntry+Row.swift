import JobJournal
import JobKit
import JobStore

extension NumberedEntry {
    /// All entries in the rows of a bound statement that selects place and bytes.
    ///
    /// A row holds the entries of one transaction, one per line; its place is that of the last of them.
    /// - Throws: a failure with the code of damaged data when an entry cannot be read.
    static func rows(_ statement: SQLiteStatement, of id: JobID) throws(SQLiteFailure) -> [NumberedEntry] {
        var bytes = 0
        return try rows(statement, of: id, counting: &bytes)
    }

    /// The same, and adds the size of the rows.
    static func rows(
        _ statement: SQLiteStatement, of id: JobID, counting bytes: inout Int
    ) throws(SQLiteFailure) -> [NumberedEntry] {
        defer { statement.reset() }
        var entries: [NumberedEntry] = []
        while try statement.step() {
            let coded = statement.bytes(1)
            bytes += coded.count
            let row = try self.entries(coded, of: id)
            let first = JournalPlace.sequence(statement.integer(0)) - Int64(row.count) + 1
            entries += zip(first..., row).map { NumberedEntry(sequence: $0, entry: $1) }
        }
        return entries
    }

    /// The entries in one row.
    /// - Throws: a failure with the code of damaged data when one cannot be read, or there is none.
    static func entries(_ bytes: [UInt8], of id: JobID) throws(SQLiteFailure) -> [JournalEntry] {
        let lines = bytes.split(separator: 0x0A)
        if lines.isEmpty { throw SQLiteFailure.damaged("a row of the journal of \(id) is empty") }
        var entries: [JournalEntry] = []
        for (index, line) in lines.enumerated() {
            guard let entry = try? JournalEntry(decoding: Array(line)) else {
                throw SQLiteFailure.damaged(
                    "entry \(index + 1) of a row of the journal of \(id) cannot be read")
            }
            entries.append(entry)
        }
        return entries
    }
}
