package import JobKit

/// The findings of an integrity check.
package struct IntegrityReport: Sendable, Hashable {
    /// The outcome of a check.
    package enum Outcome: Sendable, Hashable {
        /// No damage was found.
        case sound
        /// Damage, in SQLite's words, at most 20 lines.
        case damaged([String])
        /// The check was stopped early.
        case ended
    }

    /// The outcome.
    package var outcome: Outcome
    /// The size of the database.
    package var bytes: Int
    /// The time that the check took.
    package var duration: Duration
    /// The number of jobs in each state; states with none may be missing.
    package var jobs: [JobState: Int] = [:]
    /// The number of jobs that have been due for more than five minutes.
    package var overdue = 0
    /// The number of jobs in flight whose owner has no lease.
    package var abandoned = 0
    /// When the newest job was made.
    package var newestJob: Timestamp?
    /// The number of secrets.
    package var secrets = 0
    /// The number of files with content that are missing or changed.
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
