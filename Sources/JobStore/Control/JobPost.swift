package import JobKit

/// Something from outside for a job that is not final: what is noted in its journal, and what it does to the job.
package struct JobPost: Sendable {
    /// Which job.
    package var id: JobID
    /// What to note.
    package var journal: JournalEntry
    /// What it does to the job.
    package var effect: Effect
    /// Only while the job has this revision; nil is always.
    package var ifRevision: Int64?
    /// For a hold: when a job that was not started must be looked at all the same, because its deadline passes.
    package var alarm: Timestamp?
    /// The new `JobRecord.detail` of a job that is not in flight; nil leaves it.
    package var detail: [UInt8]?

    /// What a post does to a job.
    package enum Effect: Sendable, Hashable {
        /// A job that was put down becomes `queued`, so that its run sees it.
        case wake
        /// A job that is not in flight becomes `paused`; one that is has to be told.
        case hold
        /// A `paused` job becomes `queued`, or `scheduled` when its start still lies ahead.
        case release
    }

    /// A post.
    package init(id: JobID, journal: JournalEntry, effect: Effect = .wake, ifRevision: Int64? = nil) {
        self.id = id
        self.journal = journal
        self.effect = effect
        self.ifRevision = ifRevision
    }
}
