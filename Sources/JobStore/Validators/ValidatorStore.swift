package import JobKit

/// Keeps the validators (`ETag`, `Last-Modified`) of answers to calls.
package protocol ValidatorStore: Sendable {
    /// Keeps the validator of the last good answer to a request, and replaces the one before. Beyond
    /// `StoreLimits.validatorsMax` the oldest are removed.
    func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}
