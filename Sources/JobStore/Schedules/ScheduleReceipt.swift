package import JobKit

/// The effect of a change of a schedule.
package struct ScheduleReceipt: Sendable {
    package var record: ScheduleRecord
    /// The planned times that were settled, in order; fewer than planned when a backfill comes back to some.
    package var occurrences: [Occurrence]
    /// The stops of runs whose jobs gave way to new ones.
    package var stopping: [RunRequest]
    /// The outcome of a request whose idempotency key was used before: nothing was changed.
    package var replay: SubmitOutcome?
    /// Whether the change was not made.
    package var changedNothing = false

    package init(record: ScheduleRecord, occurrences: [Occurrence], stopping: [RunRequest] = []) {
        self.record = record
        self.occurrences = occurrences
        self.stopping = stopping
    }

    /// The new jobs of a change that were not made.
    package static func unmade(_ ids: [JobID], by result: Result<ScheduleReceipt, JobStoreError>) -> [JobID] {
        guard case .success(let receipt) = result else { return ids }
        let made = Set(receipt.occurrences.compactMap(\.job))
        return ids.filter { !made.contains($0) }
    }

    /// The receipt of a change that was not made; nil when it is to be made.
    /// - Parameter replay: the outcome of its request, if the idempotency key was used before.
    package init?(of change: ScheduleChange, replay: SubmitOutcome?) {
        guard replay != nil || change.isReplayOnly else { return nil }
        self.init(record: change.record, occurrences: [])
        self.replay = replay
        changedNothing = true
    }
}
