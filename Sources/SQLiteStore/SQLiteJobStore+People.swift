import JobKit
import JobStore

/// Validators, origins and schedules.
extension SQLiteJobStore {
    func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { session throws(SQLiteFailure) in
            try session.validators.put(validator, for: key)
            return .success(())
        }
    }

    func keep(
        _ closings: [OriginClosing], at now: Timestamp,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { session throws(SQLiteFailure) in
            try session.closings.keep(closings, at: now)
            return .success(())
        }
    }

    func store(
        _ change: ScheduleChange, reply: @escaping @Sendable (Result<ScheduleReceipt, JobStoreError>) -> Void
    ) {
        write(reply, bytes: change.bytes, rows: change.rows) { session throws(SQLiteFailure) in
            try ScheduleWrites(session: session).store(change)
        }
    }

    func removeSchedule(
        _ name: String, revision: Int64, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { session throws(SQLiteFailure) in
            try session.erasing { () throws(SQLiteFailure) in
                try ScheduleWrites(session: session).remove(name, revision: revision)
            }
        }
    }

    func removeOccurrences(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        write(reply) { session throws(SQLiteFailure) in
            .success(
                try session.erasing { () throws(SQLiteFailure) in
                    try session.schedules.removeOccurrences(before: time, limit: limit)
                })
        }
    }
}
