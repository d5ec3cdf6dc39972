/// One operation of a job as it is shown: what the spec says and what the journal knows.
public struct OperationView: Sendable, Hashable {
    /// The names from below the root down to it; empty for the root.
    public var path: [String]
    /// Its name.
    public var name: String
    /// Its type.
    public var type: String
    /// Where it stands.
    public var state: JobState
    /// The last attempt made; 0 when there was none.
    public var attempt: Int
    /// When its execution began.
    public var startedAt: Timestamp?
    /// When it ended.
    public var finishedAt: Timestamp?
    /// What it waits for, in `pending`, `waiting` and `retrying`.
    public var wait: OperationWait?
    /// Since when it waits for that.
    public var waitingSince: Timestamp?
    /// What it produced, except for the root, whose result is kept apart.
    public var result: OperationResult?
    /// Why it did not succeed.
    public var errors: [AOperationError]
    /// Its attempts that are over.
    public var attempts: [AttemptRecord]
    /// An attempt in flight.
    public var openAttempt: OperationHistory.OpenAttempt?
}

extension JournalFold {
    /// All operations of a job, each group before its members, in the order of the spec.
    public func views(spec: JobSpec, jobState: JobState) -> [OperationView] {
        var views: [OperationView] = []
        collect(spec.operation, path: [], jobState, into: &views)
        return views
    }

    private func collect(
        _ operation: OperationSpec, path: [String], _ jobState: JobState, into views: inout [OperationView]
    ) {
        let history = histories[path] ?? OperationHistory()
        views.append(
            OperationView(
                path: path, name: operation.name, type: operation.kind.type,
                state: path.isEmpty ? jobState : state(of: history, in: jobState),
                attempt: history.lastAttempt,
                startedAt: history.startedAt, finishedAt: history.finishedAt,
                wait: history.wait, waitingSince: history.wait.flatMap { history.waitingSince[$0.name] },
                result: history.ending?.result, errors: history.ending?.errors ?? [],
                attempts: history.attempts,
                openAttempt: history.openAttempt))
        guard case .group(let group) = operation.kind else { return }
        for member in group.operations { collect(member, path: path + [member.name], jobState, into: &views) }
    }

    /// What has no ending in a job that is over went down with it.
    private func state(of history: OperationHistory, in jobState: JobState) -> JobState {
        if let ending = history.ending { return ending.state }
        if jobState.isFinal { return jobState == .skipped ? .skipped : .cancelled }
        if let wait = history.wait, history.startedAt != nil {
            return wait.reason == .retry ? .retrying : .waiting
        }
        return history.startedAt == nil ? .pending : .running
    }
}
