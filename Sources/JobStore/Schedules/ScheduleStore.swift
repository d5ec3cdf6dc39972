package import JobKit

/// Keeps schedules and their occurrences.
package protocol ScheduleStore: Sendable {
    /// Stores a schedule, or its progress, with the planned times that this settles and their jobs, in one transaction.
    /// A planned time has one occurrence: this, and the revision, make sure that each gets one job.
    /// - Throws (in the reply): `.scheduleMoved` when the schedule has another revision than the expected one, or does
    ///   not exist; `.occurrenceTaken` when a planned time is settled already; `.schedulesFull`.
    func store(
        _ change: ScheduleChange, reply: @escaping @Sendable (Result<ScheduleReceipt, JobStoreError>) -> Void)

    /// Removes a schedule. Its jobs go on.
    /// - Throws (in the reply): `.noSchedule`; `.scheduleMoved` when it has another revision.
    func removeSchedule(
        _ name: String, revision: Int64, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Removes up to `limit` (1…10,000) occurrences that were decided before `time`. The reply is their number.
    func removeOccurrences(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)
}
