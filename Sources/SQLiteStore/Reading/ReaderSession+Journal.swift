import JobJournal
import JobKit
import JobStore

/// Reads of journals. A row has the entries of one transaction, possibly thousands: only the requested entries of a row
/// are decoded.
extension ReaderSession {
    func journal(
        _ id: JobID, after: Int64, limit: Int, bytes: Int
    ) throws(SQLiteFailure) -> [NumberedEntry] {
        var bytesLeft = bytes
        let rows = try journalRows(id, after: after)
        defer { rows.reset() }
        var entries: [NumberedEntry] = []
        while entries.count < limit, try rows.step() {
            let row = try JournalRow(rows, of: id)
            // The first row may begin before `after`, and the last one may extend beyond the limit.
            let first = max(row.first, after + 1)
            guard first <= row.last else { continue }
            for sequence in first...min(row.last, first + Int64(limit - entries.count) - 1) {
                entries.append(try row.entry(sequence))
                bytesLeft -= row.bytes(of: sequence)
                if bytesLeft <= 0 { return entries }
            }
        }
        return entries
    }

    func journal(_ id: JobID, at sequences: [Int64]) throws(SQLiteFailure) -> [NumberedEntry] {
        var entries: [NumberedEntry] = []
        entries.reserveCapacity(sequences.count)
        var row: JournalRow?
        for sequence in sequences {
            if row.map({ sequence > $0.last }) ?? true {
                let rows = try journalRows(id, after: sequence - 1)
                defer { rows.reset() }
                guard try rows.step() else { break }
                row = try JournalRow(rows, of: id)
            }
            if let row, sequence >= row.first { entries.append(try row.entry(sequence)) }
        }
        return entries
    }

    func index(_ id: JobID, from known: JournalIndex) throws(SQLiteFailure) -> JournalIndex {
        var index = known
        let rows = try journalRows(id, after: known.last)
        defer { rows.reset() }
        while try rows.step() {
            do throws(StoredFormError) {
                try index.add(rows.bytes(1), upTo: JournalPlace.sequence(rows.integer(0)))
            } catch {
                throw SQLiteFailure.damaged("the journal of \(id) cannot be read: \(error.detail)")
            }
        }
        return index
    }

    /// The rows with entries after `after`, in order: place and bytes.
    private func journalRows(_ id: JobID, after: Int64) throws(SQLiteFailure) -> SQLiteStatement {
        let rows = try pageStatement(
            """
            SELECT place, bytes FROM journal \
            WHERE place > (SELECT number << \(JournalPlace.sequenceBits) FROM job WHERE id = ?1) + ?2 AND place <= \
            (SELECT (number << \(JournalPlace.sequenceBits)) + \(JournalPlace.sequenceMax) FROM job WHERE id = ?1) \
            ORDER BY place
            """)
        rows.bind(1, id)
        rows.bind(2, min(max(after, 0), JournalPlace.sequenceMax))
        return rows
    }
}

/// One row of a journal, split into lines.
private struct JournalRow {
    let first, last: Int64
    private let lines: [ArraySlice<UInt8>]
    private let id: JobID

    init(_ statement: SQLiteStatement, of id: JobID) throws(SQLiteFailure) {
        lines = statement.bytes(1).split(separator: 0x0A)
        if lines.isEmpty { throw SQLiteFailure.damaged("a row of the journal of \(id) is empty") }
        last = JournalPlace.sequence(statement.integer(0))
        first = last - Int64(lines.count) + 1
        self.id = id
    }

    func bytes(of sequence: Int64) -> Int { lines[Int(sequence - first)].count }

    func entry(_ sequence: Int64) throws(SQLiteFailure) -> NumberedEntry {
        let line = lines[Int(sequence - first)]
        guard let entry = try? JournalEntry(decoding: Array(line)) else {
            throw SQLiteFailure.damaged("entry \(sequence) of the journal of \(id) cannot be read")
        }
        return NumberedEntry(sequence: sequence, entry: entry)
    }
}
