import JobKit
import JobStore

/// Validators and origins.
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
}
