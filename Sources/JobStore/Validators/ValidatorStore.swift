package import JobKit

/// Keeps the validators (`ETag`, `Last-Modified`) of answers to calls.
package protocol ValidatorStore: Sendable {
    /// Stores the validator of the last successful answer to a request, replacing an earlier one. Beyond
    /// `StoreLimits.validatorsMax` the oldest are removed.
    func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}
