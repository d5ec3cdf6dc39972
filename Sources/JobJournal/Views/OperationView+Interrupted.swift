internal import JobKit
internal import JobSpec
internal import StrictJSON

extension OperationView {
    /// Its attempt in flight went down with it: nobody was left to note that.
    /// - Parameters:
    ///   - spec: what it is.
    ///   - notes: what its history noted.
    ///   - root: the name of the job's operation.
    mutating func endOpenAttempt(of spec: OperationSpec, notes: [String: JSONValue], in root: String) {
        guard var open = openAttempt, state.isFinal else { return }
        let isFollowing = notes[NoteName.follow] != nil
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
