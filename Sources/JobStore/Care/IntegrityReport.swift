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

    package var outcome: Outcome
    /// The size of the database.
    package var bytes: Int
    /// The duration of the check.
    package var duration: Duration
    /// The number of jobs in each state; states without jobs may be missing.
    package var jobs: [JobState: Int] = [:]
    /// The number of jobs that have been due for more than five minutes.
    package var overdue = 0
    /// The number of claimed jobs whose owner has no lease.
    package var abandoned = 0
    /// The creation time of the newest job.
    package var newestJob: Timestamp?
    package var secrets = 0
    /// The number of content files that are missing or changed.
    package var filesLost = 0
    /// The first of these files, relative to the data directory; nil when there is none.
    package var firstLost: String?

    package init(outcome: Outcome, bytes: Int, duration: Duration) {
        self.outcome = outcome
        self.bytes = bytes
        self.duration = duration
    }
}
