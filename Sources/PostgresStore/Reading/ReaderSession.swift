import JobJournal
import JobKit
import JobStore

/// A connection for reads, with the tables that it reads.
final class ReaderSession {
    let connection: PostgresConnection
    let tables: StoreTables
    private let schema: String
    private var waitsForLocks = true

    init(_ address: PostgresAddress) throws(PostgresFailure) {
        connection = try PostgresConnection(address)
        try connection.favourIndexes(waitingForLocks: LockedTables.usualWait)
        schema = address.schema
        tables = StoreTables(connection)
    }

    /// Has the next reads wait for locks, or hardly. Not behind a pooler.
    func wait(forLocks waits: Bool) throws(PostgresFailure) {
        guard waits != waitsForLocks, connection.address.preparesStatements else { return }
        let milliseconds = waits ? LockedTables.usualWait : LockedTables.shortWait
        // By itself: with a read that fails it would be taken back.
        try connection.run("SET lock_timeout = \(milliseconds)")
        waitsForLocks = waits
    }

    func job(_ id: JobID) throws(PostgresFailure) -> JobRecord? {
        try tables.jobs.read([id]).first?.job.record
    }

    func jobs(_ ids: [JobID]) throws(PostgresFailure) -> [JobID: JobRecord] {
        let jobs = try tables.jobs.read(ids).map(\.job.record)
        return Dictionary(jobs.map { ($0.id, $0) }) { first, _ in first }
    }

    func names(of ids: [JobID]) throws(PostgresFailure) -> JobNames {
        guard !ids.isEmpty else { return [:] }
        let rows = try connection.run(
            "SELECT id, name, queue FROM \(schema).job WHERE id = ANY($1)", [.ids(ids)])
        var found: JobNames = [:]
        for row in 0..<rows.count { found[rows.id(row, 0)] = (rows.text(row, 1), rows.text(row, 2)) }
        return found
    }

    func result(_ id: JobID) throws(PostgresFailure) -> OperationResult? {
        let rows = try connection.run(
            """
            SELECT status, content_type, content_coding, headers, body, artifact FROM \(schema).ended \
            WHERE id = ANY($1) AND has_result
            """, [.ids([id])])
        guard rows.count > 0 else { return nil }
        var result = OperationResult(
            status: rows.optionalInteger(0, 0).map { Int($0) },
            headers: PairCoding.decode(rows.bytes(0, 3)).map { .init(name: $0.0, value: $0.1) },
            contentType: rows.optionalText(0, 1), body: rows.bytes(0, 4))
        result.contentCoding = rows.optionalText(0, 2)
        result.artifact = rows.optionalText(0, 5).flatMap { ArtifactReference(encoded: $0) }
        return result
    }

    func ahead(of id: JobID) throws(PostgresFailure) -> Int? {
        let rows = try connection.run(
            """
            SELECT (SELECT count(*) FROM (SELECT 1 FROM \(schema).ticket WHERE ticket.ready_at IS NOT NULL \
            AND ticket.tenant IS NOT DISTINCT FROM me.tenant \
            AND (ticket.priority > me.priority OR (ticket.priority = me.priority \
            AND (ticket.ready_at, ticket.number) < (me.ready_at, me.number))) LIMIT 10000) AS before) \
            FROM \(schema).ticket AS me WHERE me.id = ANY($1) AND me.ready_at IS NOT NULL
            """, [.ids([id])])
        return rows.count == 0 ? nil : Int(rows.integer(0, 0))
    }

    func uniqueLine(before id: JobID) throws(PostgresFailure) -> UniqueLine? {
        let rows = try connection.run(
            """
            SELECT me.key, other.id FROM \(schema).waiter AS me JOIN \(schema).waiter AS other \
            ON other.key = me.key AND NOT other.is_over AND other.number < me.number \
            WHERE me.id = ANY($1) AND NOT me.is_over ORDER BY other.number LIMIT 10000
            """, [.ids([id])])
        return rows.count == 0
            ? nil : UniqueLine(key: rows.text(0, 0), holder: rows.id(0, 1), ahead: rows.count)
    }

    func waiting(for key: String, limit: Int) throws(PostgresFailure) -> [JobID] {
        let states = JobState.allCases.filter(\.isSuspended).map { String($0.stored) }
        return try connection.run(
            """
            SELECT ticket.id FROM \(schema).wake JOIN \(schema).ticket ON ticket.id = wake.id WHERE wake.key = ANY($1) \
            AND ticket.state IN (\(states.joined(separator: ", "))) ORDER BY ticket.id LIMIT $2
            """, [.raws([key]), .integer(Int64(limit))]
        ).ids()
    }

    // MARK: Journals

    func journal(
        _ id: JobID, after: Int64, limit: Int, bytes: Int
    ) throws(PostgresFailure) -> [NumberedEntry] {
        var bytesLeft = bytes
        var entries: [NumberedEntry] = []
        for row in try tables.journals.rows(of: id, after: max(0, after)) where entries.count < limit {
            let row = JournalLines(row)
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

    func journal(_ id: JobID, at sequences: [Int64]) throws(PostgresFailure) -> [NumberedEntry] {
        guard let first = sequences.first else { return [] }
        var entries: [NumberedEntry] = []
        var left = sequences[...]
        for row in try tables.journals.rows(of: id, after: max(0, first - 1)) {
            let row = JournalLines(row)
            while let sequence = left.first, sequence <= row.last {
                left.removeFirst()
                if sequence >= row.first { entries.append(try row.entry(sequence)) }
            }
            if left.isEmpty { break }
        }
        return entries
    }

    func index(_ id: JobID, from known: JournalIndex) throws(PostgresFailure) -> JournalIndex {
        var index = known
        for row in try tables.journals.rows(of: id, after: known.last) {
            do throws(StoredFormError) {
                try index.add(row.bytes, upTo: row.last)
            } catch {
                throw .damaged("the journal of \(id) cannot be read: \(error.detail)")
            }
        }
        return index
    }
}

/// One row of a journal, split into lines.
private struct JournalLines {
    let first, last: Int64
    private let lines: [ArraySlice<UInt8>]
    private let id: JobID

    init(_ row: JournalTable.Row) {
        lines = row.bytes.split(separator: 0x0A)
        last = row.last
        first = last - Int64(lines.count) + 1
        id = row.id
    }

    func bytes(of sequence: Int64) -> Int { lines[Int(sequence - first)].count }

    func entry(_ sequence: Int64) throws(PostgresFailure) -> NumberedEntry {
        guard let entry = try? JournalEntry(decoding: Array(lines[Int(sequence - first)])) else {
            throw .damaged("entry \(sequence) of the journal of \(id) cannot be read")
        }
        return NumberedEntry(sequence: sequence, entry: entry)
    }
}
