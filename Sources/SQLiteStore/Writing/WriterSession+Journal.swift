import JobKit
import JobStore

/// What runs read of a journal: all of it, or a summary of the older part and all after it.
extension WriterSession {
    /// The entries that a run reads, and the number of the last one in the journal.
    func journal(
        _ job: StoredJob, isNew: Bool
    ) throws(SQLiteFailure) -> (entries: [JournalEntry], end: Int64) {
        if isNew { return ([], 0) }
        let summary = job.ties.contains(.summary) ? try summary(of: job) : nil
        let start = summary?.last ?? 0
        statements.entries.bind(1, JournalPlace.place(job: job.number, sequence: start + 1))
        statements.entries.bind(2, JournalPlace.place(job: job.number, sequence: JournalPlace.sequenceMax))
        let rest = try NumberedEntry.rows(statements.entries, of: job.record.id)
        return ((summary?.entries ?? []) + rest.map(\.entry), rest.last?.sequence ?? start)
    }

    /// Keeps a summary in the place of an earlier one.
    func put(_ summary: JournalSummary, of job: inout StoredJob) throws(SQLiteFailure) {
        statements.putSummary.bind(1, job.number)
        statements.putSummary.bind(2, JournalPlace.place(job: job.number, sequence: summary.last))
        try statements.putSummary.run(with: JournalEntry.encoded(summary.entries), at: 3)
        job.ties.insert(.summary)
    }

    /// Nil also for one that cannot be read: the journal says all that it said.
    private func summary(of job: StoredJob) throws(SQLiteFailure) -> JournalSummary? {
        statements.summary.bind(1, job.number)
        defer { statements.summary.reset() }
        guard try statements.summary.step(),
            let entries = try? NumberedEntry.entries(statements.summary.bytes(1), of: job.record.id)
        else { return nil }
        return JournalSummary(last: JournalPlace.sequence(statements.summary.integer(0)), entries: entries)
    }

    /// Removes the summary of a job that is over.
    func deleteSummary(of number: Int64) throws(SQLiteFailure) {
        statements.deleteSummary.bind(1, number)
        try statements.deleteSummary.run()
    }
}
