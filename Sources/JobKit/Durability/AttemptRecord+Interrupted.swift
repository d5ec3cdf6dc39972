internal import HTTPMessage
internal import StrictJSON

extension OperationHistory.OpenAttempt {
    /// What is known of it when its end was never noted: it was cut off, and whether it arrived nobody knows.
    /// - Parameter isUnsafe: whether it must not be repeated by itself, as a POST without an idempotency key; work that
    ///   makes no call says in `delivery` that it may have had its effect only then.
    func interrupted(at date: Timestamp, isUnsafe: Bool) -> AttemptRecord {
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

extension OperationView {
    /// Its attempt in flight went down with it: nobody was left to note that.
    /// - Parameters:
    ///   - spec: what it is.
    ///   - notes: what its history noted.
    ///   - root: the name of the job's operation.
    mutating func endOpenAttempt(of spec: OperationSpec, notes: [String: JSONValue], in root: String) {
        guard var open = openAttempt, state.isFinal else { return }
        let isFollowing = notes[PollOperation.followNote] != nil
        let isUnsafe = !isFollowing && spec.call?.isUnsafe(spec.retry ?? .standard) == true
        let date = open.tryEndedAt ?? finishedAt ?? errors.first?.at ?? open.startedAt
        open.tryEndedAt = date
        var record = open.interrupted(at: date, isUnsafe: isUnsafe)
        record.error?.publisher = name
        record.error?.path = [root] + path
        record.error?.at = date
        attempts.append(record)
        openAttempt = nil
    }
}
