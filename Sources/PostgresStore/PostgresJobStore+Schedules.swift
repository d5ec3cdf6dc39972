import JobKit
import JobStore

/// Schedules and their occurrences.
extension PostgresJobStore {
    func store(
        _ change: ScheduleChange, reply: @escaping @Sendable (Result<ScheduleReceipt, JobStoreError>) -> Void
    ) {
        let jobs = change.planned.compactMap(\.job)
        write(reply, needs: WriteNeeds(submissions: jobs), bytes: change.bytes, rows: change.rows) {
            unit throws(PostgresFailure) in
            try ScheduleWrites(unit: unit).store(change)
        }
    }

    func removeSchedule(
        _ name: String, revision: Int64, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { unit throws(PostgresFailure) in
            try ScheduleWrites(unit: unit).remove(name, revision: revision)
        }
    }

    func removeOccurrences(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        write(reply) { unit throws(PostgresFailure) in
            .success(try unit.tables.schedules.removeOccurrences(before: time, limit: limit))
        }
    }
}
