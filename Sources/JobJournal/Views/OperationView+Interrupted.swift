internal import JobKit
internal import JobSpec
internal import StrictJSON

extension OperationView {
    /// Ends the attempt in flight of an operation that ended with its parent.
    /// - Parameters:
    ///   - spec: the spec of the operation.
    ///   - notes: the notes of its history.
    ///   - root: the name of the root operation.
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
