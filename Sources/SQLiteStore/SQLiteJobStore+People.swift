import JobKit
import JobSpec
import JobStore
import Synchronization

/// Settings, validators, origins and schedules.
extension SQLiteJobStore {
    func put(
        _ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        write(changingSettings(reply), bytes: draft.bytes) { session throws(SQLiteFailure) in
            let result = try session.erasing { () throws(SQLiteFailure) in try session.settings.put(draft) }
            if case .success(let record) = result, record.kind == .queue {
                try session.lines.configure(record.name, QueueSpec(record))
            }
            return result
        }
    }

    func removeSetting(
        _ kind: SettingKind, _ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(changingSettings(reply)) { session throws(SQLiteFailure) in
            let result = try session.erasing { () throws(SQLiteFailure) in
                try session.settings.remove(kind, name)
            }
            if case .success = result, kind == .queue { try session.lines.configure(name, nil) }
            return result
        }
    }

    var settingsVersion: Int64 { board.settingsVersion.load(ordering: .acquiring) }

    /// Counts a change of settings after its commit and before its reply.
    private func changingSettings<Value>(
        _ reply: @escaping @Sendable (Result<Value, JobStoreError>) -> Void
    ) -> @Sendable (Result<Value, JobStoreError>) -> Void {
        { [board] result in
            if case .success = result {
                board.settingsVersion.wrappingAdd(1, ordering: .acquiringAndReleasing)
            }
            reply(result)
        }
    }

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
