import JobJournal
import JobKit
import JobStore

/// Journals of jobs, and the summaries that runs read in place of their older parts.
final class JournalTable {
    private let lastPlace, insert, rows, delete, overlapping: SQLiteStatement
    private let putSummary, summaryOf, deleteSummary: SQLiteStatement
    /// The places of the last entries of jobs in flight.
    private var ends: [Int64: Int64] = [:]

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        lastPlace = try connection.prepare(
            "SELECT place FROM journal WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT 1")
        insert = try connection.prepare("INSERT INTO journal VALUES (?1, ?2)")
        rows = try connection.prepare(
            "SELECT place, bytes FROM journal WHERE place BETWEEN ?1 AND ?2 ORDER BY place")
        delete = try connection.prepare("DELETE FROM journal WHERE place BETWEEN ?1 AND ?2")
        overlapping = try connection.prepare(
            """
            SELECT place, bytes FROM journal WHERE place BETWEEN ?1 AND coalesce( \
            (SELECT min(place) FROM journal WHERE place BETWEEN ?2 AND ?3), ?2) ORDER BY place
            """)
        putSummary = try connection.prepare("INSERT OR REPLACE INTO summary VALUES (?1, ?2, ?3)")
        summaryOf = try connection.prepare("SELECT place, bytes FROM summary WHERE number = ?1")
        deleteSummary = try connection.prepare("DELETE FROM summary WHERE number = ?1")
    }

    /// Appends entries to a job's journal, in one row.
    func append(_ entries: [JournalEntry], to number: Int64) throws(SQLiteFailure) {
        if entries.isEmpty { return }
        var place = JournalPlace.place(job: number, sequence: 0)
        let end = JournalPlace.place(job: number, sequence: JournalPlace.sequenceMax)
        let known = ends[number]
        if let known {
            place = known
        } else {
            lastPlace.bind(1, place)
            lastPlace.bind(2, end)
            if try lastPlace.step() {
                place = lastPlace.integer(0)
                lastPlace.reset()
            }
        }
        place += Int64(entries.count)
        guard place <= end else {
            throw .unfit("a journal cannot have more than \(JournalPlace.sequenceMax) entries")
        }
        insert.bind(1, place)
        try insert.run(with: JournalEntry.encoded(entries), at: 2)
        if known != nil { ends[number] = place }
    }

    /// The entries that a run reads, all or a summary of the older part and all later ones, the number of the last
    /// one in the journal, and the size of what was read besides the summary.
    func read(
        _ job: StoredJob, isNew: Bool
    ) throws(SQLiteFailure) -> (entries: [JournalEntry], end: Int64, bytes: Int) {
        if isNew { return ([], 0, 0) }
        var bytes = 0
        let summary = job.flags.contains(.summary) ? try summary(of: job) : nil
        let start = summary?.last ?? 0
        rows.bind(1, JournalPlace.place(job: job.number, sequence: start + 1))
        rows.bind(2, JournalPlace.place(job: job.number, sequence: JournalPlace.sequenceMax))
        let rest = try NumberedEntry.rows(rows, of: job.record.id, counting: &bytes)
        return ((summary?.entries ?? []) + rest.map(\.entry), rest.last?.sequence ?? start, bytes)
    }

    /// Removes entries in ascending ranges. The last of a journal stays, from which the next one is numbered.
    func remove(_ numbers: [ClosedRange<Int64>], of number: Int64) throws(SQLiteFailure) {
        guard let first = numbers.first?.lowerBound, let last = numbers.last?.upperBound else { return }
        overlapping.bind(1, JournalPlace.place(job: number, sequence: first))
        overlapping.bind(2, JournalPlace.place(job: number, sequence: last))
        overlapping.bind(3, JournalPlace.place(job: number, sequence: JournalPlace.sequenceMax))
        var changes: [(place: Int64, rest: [JournalRow])] = []
        do {
            defer { overlapping.reset() }
            while try overlapping.step() {
                let place = overlapping.integer(0)
                let row = JournalRow(last: JournalPlace.sequence(place), bytes: overlapping.bytes(1))
                if let rest = row.without(numbers) { changes.append((place, rest)) }
            }
        }
        for change in changes {
            delete.bind(1, change.place)
            delete.bind(2, change.place)
            try delete.run()
            for row in change.rest {
                insert.bind(1, JournalPlace.place(job: number, sequence: row.last))
                try insert.run(with: row.bytes, at: 2)
            }
        }
    }

    /// Removes the journal of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, JournalPlace.place(job: number, sequence: 0))
        delete.bind(2, JournalPlace.place(job: number, sequence: JournalPlace.sequenceMax))
        try delete.run()
        ends[number] = nil
    }

    // MARK: Ends

    /// Caches the length of the journal of a job in flight.
    func remember(end sequence: Int64, of number: Int64) {
        ends[number] = JournalPlace.place(job: number, sequence: sequence)
    }

    /// Removes the end of a job that is no longer in flight.
    func forgetEnd(of number: Int64) { ends[number] = nil }

    /// Removes all ends.
    func rollback() { ends = [:] }

    // MARK: Summaries

    /// Stores a summary, replacing an earlier one.
    func put(_ summary: JournalSummary, of job: inout StoredJob) throws(SQLiteFailure) {
        putSummary.bind(1, job.number)
        putSummary.bind(2, JournalPlace.place(job: job.number, sequence: summary.last))
        try putSummary.run(with: JournalEntry.encoded(summary.entries), at: 3)
        job.flags.insert(.summary)
    }

    /// Nil also for a summary that cannot be read, since the journal holds the same facts.
    private func summary(of job: StoredJob) throws(SQLiteFailure) -> JournalSummary? {
        summaryOf.bind(1, job.number)
        defer { summaryOf.reset() }
        guard try summaryOf.step(),
            let entries = try? NumberedEntry.entries(summaryOf.bytes(1), of: job.record.id)
        else { return nil }
        return JournalSummary(last: JournalPlace.sequence(summaryOf.integer(0)), entries: entries)
    }

    /// Removes the summary of an ended job.
    func removeSummary(of number: Int64) throws(SQLiteFailure) {
        deleteSummary.bind(1, number)
        try deleteSummary.run()
    }
}
