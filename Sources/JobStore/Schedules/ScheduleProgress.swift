package import JobKit

/// The place that a schedule has come to.
package struct ScheduleProgress: Sendable, Hashable {
    /// The next planned time; all before it are settled. Nil when there is none.
    package var next: Timestamp?
    /// The time at which the engine looks at the schedule; nil when nothing is to come.
    package var wakeAt: Timestamp?
    /// The pause; nil while it runs.
    package var pause: Pause?
    /// The number of jobs made for planned times.
    package var runs = 0
    /// The number of its jobs that failed in a row, up to the last one that ended.
    package var failures = 0
    /// The jobs that were not seen to have ended, oldest first.
    package var open: [JobID] = []
    /// The number of late planned times whose jobs were made since the last one in time.
    package var caughtUp = 0
    /// The time at which missed planned times were noticed that get their jobs one after the other; nil when none wait.
    package var catchesUpSince: Timestamp?
    /// The last thing that the engine did on its own.
    package var note: Note?
    /// The backfill in progress.
    package var backfill: Backfill?

    package init() {}

    package struct Pause: Sendable, Hashable {
        package var at: Timestamp
        /// The name of the caller; nil when the engine paused it.
        package var by: String?
        package var reason: String?

        package init(at: Timestamp, by: String?, reason: String?) {
            (self.at, self.by, self.reason) = (at, by, reason)
        }
    }

    /// A remark about something that changed the plan.
    package struct Note: Sendable, Hashable {
        package var at: Timestamp
        package var detail: String

        package init(at: Timestamp, detail: String) { (self.at, self.detail) = (at, detail) }
    }

    /// Jobs for planned times of the past, a few at a time.
    package struct Backfill: Sendable, Hashable {
        /// The planned times that it makes jobs for.
        package enum Only: String, Sendable, Hashable, CaseIterable {
            case missing, failed, all
        }

        /// The next planned time that it looks at.
        package var next: Timestamp
        /// The last one.
        package var to: Timestamp
        package var only: Only
        /// The maximum number of its jobs that have not ended.
        package var concurrency: Int
        /// The jobs that were not seen to have ended.
        package var open: [JobID] = []
        package var made = 0
        /// The number of planned times that it has looked at in turns that made no job.
        package var looked = 0
        package var startedAt: Timestamp
        package var startedBy: String

        package init(
            from: Timestamp, to: Timestamp, only: Only, concurrency: Int, startedAt: Timestamp,
            startedBy: String
        ) {
            next = from
            self.to = to
            self.only = only
            self.concurrency = concurrency
            self.startedAt = startedAt
            self.startedBy = startedBy
        }
    }
}
