internal import Synchronization

/// The clocks that stop an operation: its timeout, its deadline and its grace period.
struct OperationClocks {
    let core: OperationCore

    /// Gives it its time to stop by itself, and abandons it then.
    func armGrace(_ request: OperationLife.StopRequest) {
        guard let grace = core.settings.grace else { return }
        run { core in
            // Its children have grace periods of their own, and are waited for.
            repeat { try await core.environment.clock.sleep(for: grace) } while Self.hasOpenChildren(core)
            core.abandon(request)
        }
    }

    private static func hasOpenChildren(_ core: OperationCore) -> Bool {
        core.parts.withLock { $0.links.children }.contains { $0.ending == nil }
    }

    /// What began in an earlier run has its time also while it waits to go on. That of something with others inside is
    /// counted once it is executed, so that they are there to be ended; it is not kept from that.
    func armTimeoutAgain() {
        guard core.settings.timeout != nil, !core.settings.hasInner, let begunAt = core.begunAt,
            core.endingBefore == nil, core.interruptedAttempt.ending == nil
        else { return }
        armTimeout(startedAt: begunAt)
    }

    /// Counts the timeout from the first beginning of the execution, which is just now unless it was in an earlier
    /// run.
    func armTimeout(startedAt: Timestamp) {
        guard let timeout = core.settings.timeout else { return }
        let clock = core.environment.clock
        let end = core.begunAt == nil ? clock.end(after: timeout) : clock.end(of: timeout, since: startedAt)
        arm(until: end, .tookTooLong(core.name, timeout))
    }

    /// Counts the deadline from the submission.
    func armDeadline() {
        guard let deadline = core.settings.deadline else { return }
        let end =
            switch deadline {
            case .at(let date): WaitEnd(date)
            case .afterSubmission(let duration): core.end(afterSubmission: duration)
            }
        let error = AOperationError(
            .timeoutDeadline, detail: "\(core.name) was stopped because its deadline passed.")
        arm(until: end, error)
    }

    /// Stops it at that time with an error; at once when the time is past.
    func arm(until end: WaitEnd, _ error: AOperationError) {
        let request = OperationLife.StopRequest(error: core.stamp(error), state: .failed)
        if end.hasCome(by: core.environment.clock) { return core.stop(request) }
        core.parts.withLock { $0.tasks.setAlarm(end.date) }
        run { core in
            try await end.sleep(by: core.environment.clock)
            core.stop(request)
        }
    }

    /// Runs `body` beside the operation until the operation is finished.
    private func run(_ body: @escaping @Sendable (OperationCore) async throws -> Void) {
        let core = core
        let clock = Task(executorPreference: core.environment.executor) { _ = try? await body(core) }
        let isLate = core.parts.withLock { parts -> Bool in
            guard parts.life.state != .finished else { return true }
            parts.tasks.add(clock)
            return false
        }
        if isLate { clock.cancel() }
    }
}

extension OperationCore {
    var clocks: OperationClocks { OperationClocks(core: self) }
}

extension AOperationError {
    /// The clock over all of an operation's attempts struck.
    package static func tookTooLong(_ name: String, _ timeout: Duration) -> AOperationError {
        AOperationError(
            .timeoutTotal,
            detail: "\(name) was stopped because it took longer than its timeout of \(timeout). "
                + "Raise timeouts.total if it may take longer.")
    }
}
