package import JobKit

/// A message from outside for a job that is not final: its journal entry and its effect.
package struct JobPost: Sendable {
    /// The job.
    package var id: JobID
    /// The journal entry.
    package var journal: JournalEntry
    /// Its effect on the job.
    package var effect: Effect
    /// Only while the job has this revision; nil is always.
    package var ifRevision: Int64?
    /// For a hold: the time at which a job that was not started must be looked at all the same, for its deadline.
    package var alarm: Timestamp?
    /// The new `JobRecord.detail` of a job that is not in flight; nil leaves it.
    package var detail: [UInt8]?

    /// The effect of a post on a job.
    package enum Effect: Sendable, Hashable {
        /// A suspended job becomes `queued`, so that its run sees it.
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
