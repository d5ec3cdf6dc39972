import JobKit

/// The journals that the runs of several jobs read.
struct RunJournals {
    /// By job; none for an empty journal.
    var entries: [JobID: [JournalEntry]] = [:]
    /// The failures of jobs whose journals cannot be read.
    var damage: [JobID: PostgresFailure] = [:]

    /// Adds the journals of other jobs.
    mutating func add(_ other: RunJournals) {
        entries.merge(other.entries) { _, new in new }
        damage.merge(other.damage) { _, new in new }
    }

    /// The entries of one job.
    /// - Throws: the failure of a journal that cannot be read.
    func entries(of id: JobID) throws(PostgresFailure) -> [JournalEntry] {
        if let failure = damage[id] { throw failure }
        return entries[id] ?? []
    }
}
