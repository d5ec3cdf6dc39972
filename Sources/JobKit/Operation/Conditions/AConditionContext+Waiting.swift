internal import Synchronization

extension AConditionContext {
    /// Waits until `date`, durably where there is a journal.
    /// - Parameter key: tells this wait from others of the operation.
    /// - Throws: when the operation is stopped.
    public func wait(
        until date: Timestamp, reason: OperationWait.Reason, key: String? = nil
    ) async throws {
        try await core.wait(until: WaitEnd(date), reason: reason, key: key)
    }

    /// Waits for `duration` from now on, however the wall clock is set meanwhile; durably where there is a journal.
    /// - Parameter key: tells this wait from others of the operation.
    /// - Throws: when the operation is stopped.
    public func wait(
        for duration: Duration, reason: OperationWait.Reason, key: String? = nil
    ) async throws {
        try await core.wait(until: environment.clock.end(after: duration), reason: reason, key: key)
    }

    /// Since when the operation has waited for this, restarts included; nil when it has not.
    public func waitingSince(_ reason: OperationWait.Reason, key: String? = nil) -> Timestamp? {
        core.waitingSince(OperationWait(reason: reason, key: key))
    }
}

extension OperationCore {
    /// One that is decided leaves those that wait: perhaps nothing of the tree can go on any more.
    func count(openConditions change: Int) {
        parts.withLock { _ = $0.life.apply(.conditionsOpened(change)) }
        if change < 0 { environment.supervisor?.operationBecameIdle() }
    }

    func count(openNeeds change: Int) { parts.withLock { _ = $0.life.apply(.needsOpened(change)) } }
}
