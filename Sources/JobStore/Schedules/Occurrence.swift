package import JobKit

/// One planned time of a schedule, with its job or the reason why it has none.
package struct Occurrence: Sendable, Hashable {
    /// The planned time, which identifies it within its schedule.
    package var scheduledFor: Timestamp
    package var origin: Origin
    package var outcome: Outcome
    /// The time of the decision.
    package var decidedAt: Timestamp

    package init(scheduledFor: Timestamp, origin: Origin = .plan, outcome: Outcome, decidedAt: Timestamp) {
        self.scheduledFor = scheduledFor
        self.origin = origin
        self.outcome = outcome
        self.decidedAt = decidedAt
    }

    /// The cause of an occurrence.
    package enum Origin: String, Sendable, Hashable, CaseIterable {
        /// Its time came.
        case plan
        /// A person ran the schedule at once.
        case manual
        /// A backfill made its job later.
        case backfill
    }

    /// The effect of a planned time.
    package enum Outcome: Sendable, Hashable {
        case job(JobID)
        case skipped(Reason, detail: String?)
    }

    /// The reason why a planned time has no job.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// An earlier job had not ended.
        case overlap
        /// No server could make the job in time.
        case missed
        /// The schedule was paused.
        case paused
        /// The day is one of its exceptions.
        case excluded
        /// A limit was reached: of jobs that are caught up, or of unfinished jobs.
        case limit
        /// The job could not be made of the schedule: its template is gone, or takes other parameters.
        case invalid
    }

    package var job: JobID? { if case .job(let id) = outcome { id } else { nil } }
}
