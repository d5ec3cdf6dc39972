internal import HTTPMessage

extension OperationHistory.OpenAttempt {
    /// What is known of it when its end was never noted: it was cut off, and whether it arrived nobody knows.
    /// - Parameter isUnsafe: whether it must not be repeated by itself, as a POST without an idempotency key; work that
    ///   makes no call says in `delivery` that it may have had its effect only then.
    package func interrupted(at date: Timestamp, isUnsafe: Bool) -> AttemptRecord {
        let cause = tryEndedAt == nil ? "The server stopped" : "The job ended"
        var error = AOperationError(
            .interrupted,
            detail: "\(cause) while attempt \(number) was in flight; nobody knows whether it arrived.")
        error.attempt = number
        error.delivery = isUnsafe || method != nil ? HTTPCallDelivery.sentUnknown.rawValue : nil
        return AttemptRecord(
            number: number, startedAt: startedAt, finishedAt: date, outcome: .interrupted, error: error)
    }
}
