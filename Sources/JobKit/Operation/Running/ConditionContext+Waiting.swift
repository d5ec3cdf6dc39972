internal import Synchronization

extension ConditionContext {
    /// Waits until `date`, durably if there is a journal.
    /// - Parameters:
    ///   - date: the end of the wait.
    ///   - reason: the kind of event that is awaited, for explanations.
    ///   - key: distinguishes this wait from others of the operation.
    /// - Throws: when the operation is cancelled.
    public func wait(
        until date: Timestamp, reason: OperationWait.Reason, key: String? = nil
    ) async throws {
        try await core.wait(until: WaitEnd(date), reason: reason, key: key)
    }

    /// Waits for `duration`, however the wall clock is set meanwhile; durably if there is a journal.
    /// - Parameters:
    ///   - duration: the length of the wait.
    ///   - reason: the kind of event that is awaited, for explanations.
    ///   - key: distinguishes this wait from others of the operation.
    /// - Throws: when the operation is cancelled.
    public func wait(
        for duration: Duration, reason: OperationWait.Reason, key: String? = nil
    ) async throws {
        try await core.wait(until: environment.clock.end(after: duration), reason: reason, key: key)
    }

    /// The start of this wait, restarts included; nil when the operation has not waited for this.
    public func waitingSince(_ reason: OperationWait.Reason, key: String? = nil) -> Timestamp? {
        core.waitingSince(OperationWait(reason: reason, key: key))
    }
}

extension OperationCore {
    /// A decided condition leaves the waiting ones: perhaps the tree has become idle.
    func count(openConditions change: Int) {
        parts.withLock { _ = $0.life.apply(.conditionsOpened(change)) }
        if change < 0 { environment.supervisor?.operationBecameIdle() }
    }

    func count(openNeeds change: Int) { parts.withLock { _ = $0.life.apply(.needsOpened(change)) } }
}
