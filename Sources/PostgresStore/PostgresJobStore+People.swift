import JobKit
import JobStore

/// Validators.
extension PostgresJobStore {
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
