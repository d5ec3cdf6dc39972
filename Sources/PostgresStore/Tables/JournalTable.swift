import JobJournal
import JobKit
import JobStore

/// Journals of jobs, and the summaries that runs read in place of their older parts. A row has the entries of one
/// transaction or more, one per line, and the number of the last.
struct JournalTable {
    private let connection: PostgresConnection
    private let insert, rows, endedRows, overlapping, delete, putSummary, summaries: String
    let runRows, runSizes: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        insert = "INSERT INTO \(schema).journal SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bytea[])"
        rows = """
            SELECT id, last, bytes FROM \(schema).journal WHERE id = ANY($1) AND last > $2 ORDER BY id, last
            """
        endedRows = """
            SELECT id, journal_end, journal FROM \(schema).ended WHERE id = ANY($1) AND journal IS NOT NULL \
            AND journal_end > $2
            """
        overlapping = """
            SELECT id, last, bytes FROM \(schema).journal WHERE id = $1 AND last BETWEEN $2 AND coalesce( \
            (SELECT min(last) FROM \(schema).journal WHERE id = $1 AND last >= $3), $3) ORDER BY last
            """
        delete = "DELETE FROM \(schema).journal WHERE id = $1 AND last = ANY($2)"
        func runs(in table: String, _ last: String, _ bytes: String) -> String {
            let rows = ListedRows.sql(
                "$1::uuid[], $2::bigint[]", "id, start", in: "\(schema).\(table)", by: ["id"],
                "\(last), \(bytes)", " AND \(bytes) IS NOT NULL AND \(last) > given.start")
            return "SELECT id, \(last), \(bytes) FROM \(rows) AS run"
        }
        let ofEnded = runs(in: "ended", "journal_end", "journal")
        runRows = "\(runs(in: "journal", "last", "bytes")) UNION ALL \(ofEnded) ORDER BY 1, 2"
        runSizes = SizeWalk.sql(
            """
            SELECT sum(octet_length(journal.bytes)) FROM \(schema).journal WHERE journal.id = \(SizeWalk.id) \
            AND journal.last > coalesce((SELECT summary.last FROM \(schema).summary \
            WHERE summary.id = \(SizeWalk.id)), 0)
            """)
        putSummary = """
            INSERT INTO \(schema).summary VALUES ($1, $2, $3) \
            ON CONFLICT (id) DO UPDATE SET last = excluded.last, bytes = excluded.bytes
            """
        summaries = "SELECT id, last, bytes FROM \(schema).summary WHERE id = ANY($1)"
    }

    struct Row {
        var id: JobID
        /// The number of the last entry.
        var last: Int64
        var bytes: [UInt8]
    }

    func insert(_ rows: [Row]) throws(PostgresFailure) {
        guard !rows.isEmpty else { return }
        try connection.later(
            insert, [.ids(rows.map(\.id)), .integers(rows.map(\.last)), .blobs(rows.map(\.bytes))])
    }

    /// Removes entries in ascending ranges.
    func remove(_ numbers: [ClosedRange<Int64>], of id: JobID) throws(PostgresFailure) {
        guard let first = numbers.first?.lowerBound, let last = numbers.last?.upperBound else { return }
        let rows = stored(try connection.run(overlapping, [.id(id), .integer(first), .integer(last)]))
        var (gone, rest): ([Int64], [Row]) = ([], [])
        for row in rows {
            guard let kept = JournalRow(last: row.last, bytes: row.bytes).without(numbers) else { continue }
            gone.append(row.last)
            rest += kept.map { Row(id: id, last: $0.last, bytes: $0.bytes) }
        }
        guard !gone.isEmpty else { return }
        try connection.later(delete, [.id(id), .integers(gone)])
        try insert(rest)
    }

    /// The rows of a journal with entries after `after`, in order.
    func rows(of id: JobID, after: Int64) throws(PostgresFailure) -> [Row] {
        let found = try rows(rows, [id], after)
        // A job that has ended keeps a short journal with its end; one that goes on again does not.
        return found + (try rows(endedRows, [id], max(after, found.last?.last ?? 0)))
    }

    /// The journal that is stored with the end of a job; nil when it is elsewhere, or empty.
    func ended(of id: JobID) throws(PostgresFailure) -> Row? { try rows(endedRows, [id], 0).first }

    private func rows(_ sql: String, _ ids: [JobID], _ after: Int64) throws(PostgresFailure) -> [Row] {
        stored(try connection.run(sql, [.ids(ids), .integer(after)]))
    }

    // MARK: Runs

    /// The entries that the runs of jobs read: all, or a summary of the older part and all later ones.
    func entries(of jobs: [StoredJob]) throws(PostgresFailure) -> RunJournals {
        var found = RunJournals()
        guard !jobs.isEmpty else { return found }
        let summaries = try summaries(of: jobs.filter { $0.flags.contains(.summary) }.map { $0.record.id })
        for (id, summary) in summaries { found.entries[id] = summary.entries }
        let ids = jobs.map { $0.record.id }
        let starts = ids.map { summaries[$0]?.last ?? 0 }
        let rows = stored(try connection.run(runRows, [.ids(ids), .integers(starts)]))
        for row in rows where found.damage[row.id] == nil {
            do throws(PostgresFailure) {
                let read = try Self.entries(row)
                // The summary ends at the end of a row.
                let count = min(Int64(read.count), row.last - (summaries[row.id]?.last ?? 0))
                found.entries[row.id, default: []] += read.suffix(Int(count))
            } catch {
                found.damage[row.id] = error
            }
        }
        return found
    }

    /// The sizes of what the runs of jobs read besides summaries, in this order until they are `max` together.
    func sizes(of ids: [JobID], max: Int) throws(PostgresFailure) -> [Int] {
        try SizeWalk.sizes(of: ids, max: max, runSizes, connection)
    }

    /// The entries in one row.
    /// - Throws: a failure with the code of damaged data when one cannot be read.
    static func entries(_ row: Row) throws(PostgresFailure) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for (index, line) in row.bytes.split(separator: 0x0A).enumerated() {
            guard let entry = try? JournalEntry(decoding: Array(line)) else {
                throw .damaged("entry \(index + 1) of a row of the journal of \(row.id) cannot be read")
            }
            entries.append(entry)
        }
        return entries
    }

    // MARK: Summaries

    /// Stores a summary, replacing an earlier one.
    func put(_ summary: JournalSummary, of job: inout StoredJob) throws(PostgresFailure) {
        try connection.run(
            putSummary,
            [
                .id(job.record.id), .integer(summary.last), .bytes(JournalEntry.encoded(summary.entries)),
            ])
        job.flags.insert(.summary)
    }

    /// The summaries of jobs, but for those that cannot be read: their journals hold the same facts.
    private func summaries(of ids: [JobID]) throws(PostgresFailure) -> [JobID: JournalSummary] {
        guard !ids.isEmpty else { return [:] }
        var found: [JobID: JournalSummary] = [:]
        for row in stored(try connection.run(summaries, [.ids(ids)])) {
            if let entries = try? Self.entries(row) {
                found[row.id] = JournalSummary(last: row.last, entries: entries)
            }
        }
        return found
    }

    private func stored(_ rows: PostgresRows) -> [Row] {
        (0..<rows.count).map { Row(id: rows.id($0, 0), last: rows.integer($0, 1), bytes: rows.bytes($0, 2)) }
    }
}
