import JobKit
import JobSpec
import JobStore
import Synchronization

/// Settings and validators.
extension PostgresJobStore {
    func put(
        _ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        write(reply, bytes: draft.bytes) { unit throws(PostgresFailure) in
            let outcome = try unit.tables.settings.put(draft, countMax: unit.limits.settingsMax)
            if case .success(let record) = outcome {
                try unit.noteSettings()
                if record.kind == .queue { try unit.configure(record.name, QueueSpec(record)) }
            }
            return outcome
        }
    }

    func removeSetting(
        _ kind: SettingKind, _ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { unit throws(PostgresFailure) in
            let outcome = try unit.tables.settings.remove(kind, name)
            if case .success = outcome {
                try unit.noteSettings()
                if kind == .queue { try unit.configure(name, nil) }
            }
            return outcome
        }
    }

    var settingsVersion: Int64 { board.settingsVersion.load(ordering: .acquiring) }

    func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { unit throws(PostgresFailure) in
            try unit.tables.validators.put(
                validator, for: key, number: unit.numbers.next(at: SystemClock().now),
                countMax: unit.limits.validatorsMax)
            return .success(())
        }
    }
}
