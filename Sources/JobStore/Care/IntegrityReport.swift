package import JobKit

/// What a look at all that is stored found.
package struct IntegrityReport: Sendable, Hashable {
    /// What came of it.
    package enum Outcome: Sendable, Hashable {
        /// All is as it should be.
        case sound
        /// What is wrong, in SQLite's words, at most 20 lines.
        case damaged([String])
        /// It was ended before it was through.
        case ended
    }

    /// What came of it.
    package var outcome: Outcome
    /// How many bytes the database has.
    package var bytes: Int
    /// How long it took.
    package var duration: Duration
    /// How many jobs there are in each state; states with none may be missing.
    package var jobs: [JobState: Int] = [:]
    /// How many jobs have been due for more than five minutes.
    package var overdue = 0
    /// How many jobs are held by a run whose lease is over.
    package var abandoned = 0
    /// When the newest job was made.
    package var newestJob: Timestamp?
    /// How many secrets there are.
    package var secrets = 0
    /// How many files with content are not there, or do not hold what was stored.
    package var filesLost = 0
    /// The first of them, below the data directory; nil when there is none.
    package var firstLost: String?

    /// A report.
    package init(outcome: Outcome, bytes: Int, duration: Duration) {
        self.outcome = outcome
        self.bytes = bytes
        self.duration = duration
    }
}
