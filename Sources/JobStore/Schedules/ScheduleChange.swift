package import JobKit

/// A change of a schedule together with the planned times that it settles, stored in one transaction.
package struct ScheduleChange: Sendable {
    /// A planned time with the job to be stored for it.
    package struct Planned: Sendable {
        package var occurrence: Occurrence
        /// The job of `occurrence`; nil when it has none.
        package var job: NewJob?
        /// Whether an earlier occurrence of this planned time is replaced.
        package var replaces = false
        /// The time since which a missed planned time waits for its job; nil when it does not wait.
        package var waitsSince: Timestamp?

        package init(_ occurrence: Occurrence, job: NewJob? = nil) {
            self.occurrence = occurrence
            self.job = job
        }
    }

    /// The revision that the schedule has; nil when there must be none of this name.
    package var expected: Int64?
    /// The schedule after the change. The store assigns its revision.
    package var record: ScheduleRecord
    package var planned: [Planned]
    /// Cancels the jobs that give way to the new one, if that is stored.
    package var replaced: [CancelRequest] = []
    /// The number of jobs for planned times with which the schedule is over; nil when none is.
    package var runsMax: Int?
    /// Whether nothing may be changed, so that only a job that the same idempotency key made before is found.
    package var isReplayOnly = false

    package init(of expected: Int64?, to record: ScheduleRecord, planned: [Planned] = []) {
        self.expected = expected
        self.record = record
        self.planned = planned
    }

    /// The approximate size of what it stores: the schedule, and its jobs.
    package var bytes: Int { planned.reduce(record.body.count) { $0 + ($1.job?.bytes ?? 0) } }

    /// The number of planned times and jobs that it is about.
    package var rows: Int { planned.count + replaced.count }

    /// The job of a person's request, whose idempotency key is looked for before anything else.
    package var request: NewJob? { planned.first?.job.flatMap { $0.idempotency == nil ? nil : $0 } }

    /// The record and the occurrences after the jobs were submitted. A job that joined another one, or was refused, is
    /// an outcome as well; but a backfill, and missed
    /// planned times in turn, come back to the times for whose jobs there was no room.
    /// - Parameter outcomes: of the jobs in `planned`, in order.
    package func settled(
        by outcomes: [Result<SubmitOutcome, JobStoreError>]
    ) -> (record: ScheduleRecord, occurrences: [Occurrence]) {
        var record = record
        record.revision = (expected ?? 0) + 1
        var rest = outcomes[...]
        var occurrences: [Occurrence] = []
        for planned in planned {
            var occurrence = planned.occurrence
            if let job = planned.job, let outcome = rest.popFirst() {
                if occurrence.origin == .backfill, Self.hadNoRoom(outcome) {
                    record.progress.putOff(occurrence, job.record.id)
                    continue
                }
                if let since = planned.waitsSince, Self.hadNoRoom(outcome) {
                    record.progress.open.removeAll { $0 == job.record.id }
                    record.progress.putOff(
                        missed: occurrence.scheduledFor, since: since, at: occurrence.decidedAt)
                    continue
                }
                occurrence.outcome = Self.outcome(outcome)
                record.progress.note(occurrence, job.record.id)
            }
            occurrences.append(occurrence)
        }
        if let runsMax, record.progress.runs >= runsMax { record.progress.end() }
        if replaces(by: outcomes) {
            record.progress.open.removeAll { id in replaced.contains { $0.id == id } }
        }
        return (record, occurrences)
    }

    /// Whether jobs give way to one that was stored.
    package func replaces(by outcomes: [Result<SubmitOutcome, JobStoreError>]) -> Bool {
        !replaced.isEmpty
            && outcomes.contains { outcome in
                switch outcome {
                case .success(.created), .success(.replacing): true
                default: false
                }
            }
    }

    /// Whether a job was refused by a limit of jobs that makes room again.
    private static func hadNoRoom(_ outcome: Result<SubmitOutcome, JobStoreError>) -> Bool {
        guard case .failure(let error) = outcome else { return false }
        return switch error.code {
        case .queueFull, .lineFull: true
        default: false
        }
    }

    private static func outcome(_ outcome: Result<SubmitOutcome, JobStoreError>) -> Occurrence.Outcome {
        switch outcome {
        case .success(.created(let job)), .success(.replacing(let job, _)), .success(.joined(let job)),
            .success(.replayed(let job)):
            .job(job.id)
        case .success(.replayedGone(let id)), .success(.keyReused(let id)): .job(id)
        case .failure(let error):
            if case .uniqueTaken = error.code {
                .skipped(.overlap, detail: error.detail)
            } else {
                .skipped(.limit, detail: error.detail)
            }
        }
    }
}

extension ScheduleProgress {
    /// Records the outcome of a job that was to be stored with the id `id`.
    fileprivate mutating func note(_ occurrence: Occurrence, _ id: JobID) {
        if occurrence.job == id { return }
        // It was not stored, or joined a job that is not of this schedule.
        open.removeAll { $0 == id }
        backfill?.open.removeAll { $0 == id }
        if occurrence.origin == .plan { runs -= 1 }
    }

    /// Leaves a planned time of the backfill, whose job `id` was not stored, to a later turn.
    fileprivate mutating func putOff(_ occurrence: Occurrence, _ id: JobID) {
        guard var backfill else { return }
        backfill.open.removeAll { $0 == id }
        backfill.made -= 1
        backfill.next = min(backfill.next, occurrence.scheduledFor)
        self.backfill = backfill
    }
}
