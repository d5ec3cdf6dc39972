import JobKit
import JobStore

/// Validators.
extension PostgresJobStore {
    func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        write(reply) { unit in
            unit.remember(validator, for: key)
            return .success(())
        }
    }
}
