package import JobKit

/// A message from outside to a job that is not final: its journal entry and its effect.
package struct JobPost: Sendable {
    package var id: JobID
    package var journal: JournalEntry
    package var effect: Effect
    /// The revision that the job must have; nil accepts any.
    package var ifRevision: Int64?
    /// For a hold: the time at which a job that has not started must be claimed anyway, for its deadline.
    package var alarm: Timestamp?

    /// The approximate size of what it stores.
    package var bytes: Int { journal.bytes }

    /// The effect of a post on a job.
    package enum Effect: Sendable, Hashable {
        /// A suspended job becomes `queued`, so that its run sees the post.
        case wake
        /// A job that is not in flight becomes `paused`; the run of one that is must be notified.
        case hold
        /// A `paused` job becomes `queued`, or `scheduled` when its start is in the future.
        case release
    }

    package init(id: JobID, journal: JournalEntry, effect: Effect = .wake, ifRevision: Int64? = nil) {
        self.id = id
        self.journal = journal
        self.effect = effect
        self.ifRevision = ifRevision
    }
}

/// The effect of a post.
package struct PostReceipt: Sendable {
    /// The job after the post.
    package var job: JobRecord
    /// The number of the post among all posts to the job, from 1, without gaps.
    package var number: Int64
    /// Whether a run is in progress that must be notified. Otherwise the next run sees the post.
    package var isRunning: Bool

    package init(job: JobRecord, number: Int64, isRunning: Bool) {
        self.job = job
        self.number = number
        self.isRunning = isRunning
    }
}
