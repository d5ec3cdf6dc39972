internal import HTTPMessage

extension OperationHistory.OpenAttempt {
    /// The record of an attempt whose end was never recorded: interrupted, with an unknown effect.
    /// - Parameter isUnsafe: whether it must not be repeated automatically, like a POST without an idempotency key;
    ///   only then `delivery` of an operation without a call states that it may have had its effect.
    package func interrupted(at date: Timestamp, isUnsafe: Bool) -> AttemptRecord {
        let cause = tryEndedAt == nil ? "The server stopped" : "The job ended"
        var error = AOperationError(
            .interrupted,
            detail: "\(cause) while attempt \(number) was in flight; it is unknown whether it was delivered.")
        error.attempt = number
        error.delivery = isUnsafe || method != nil ? HTTPCallDelivery.sentUnknown.rawValue : nil
        return AttemptRecord(
            number: number, startedAt: startedAt, finishedAt: date, outcome: .interrupted, error: error)
    }
}
