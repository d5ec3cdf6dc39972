internal import Synchronization

/// The clocks that stop an operation: the end of its time to start, its timeout, its deadline and its grace period.
struct OperationClocks {
    let core: OperationCore

    /// Starts the grace period, and abandons the operation at its end.
    func armGrace(_ request: OperationLife.StopRequest) {
        guard let grace = core.settings.grace else { return }
        run { core in
            // Its children have their own grace periods, and are waited for.
            repeat { try await core.environment.clock.sleep(for: grace) } while Self.hasOpenChildren(core)
            core.abandon(request)
        }
    }

    private static func hasOpenChildren(_ core: OperationCore) -> Bool {
        core.parts.withLock { $0.links.children }.contains { $0.ending == nil }
    }

    /// The timeout of an operation from an earlier run counts also while it waits to continue. That of an operation
    /// with inner operations is armed once it is executed, so that they exist and can be ended; nothing keeps it from
    /// that.
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
        arm(until: end, .tookTooLong(core.name, timeout, setBy: core.environment.timeoutName))
    }

    /// Counts the deadline from the submission.
    func armDeadline() {
        guard let deadline = core.settings.deadline else { return }
        let error = AOperationError(
            .timeoutFinishBy, detail: "\(core.name) was stopped because its deadline passed.")
        for end in core.ends(of: deadline) { arm(until: end, error) }
    }

    /// Counts the time to start from the submission. An operation that began in an earlier run has started, and after
    /// a retry nothing expires.
    func armStart() {
        guard let startBy = core.settings.startBy, core.environment.heedsStartBy, core.begunAt == nil else {
            return
        }
        let error = AOperationError(
            .timeoutStartBy,
            detail: "\(core.name) was not begun within its start_by. Give it more time, or less to wait for.")
        for end in core.ends(of: startBy) {
            arm(until: end, .init(error: error, state: .expired, isBeforeStart: true))
        }
    }

    /// Stops it at that time with an error; immediately when the time is past.
    func arm(until end: WaitEnd, _ error: AOperationError) {
        arm(until: end, .init(error: error, state: .failed))
    }

    private func arm(until end: WaitEnd, _ request: OperationLife.StopRequest) {
        if end.isNever { return }
        if end.hasCome(by: core.environment.clock) { return strike(request) }
        core.parts.withLock { $0.tasks.setAlarm(end.date) }
        guard let clock = core.environment.clock as? any AlarmClock else {
            return run { core in
                try await end.sleep(by: core.environment.clock)
                core.clocks.strike(request)
            }
        }
        let number = clock.newAlarm()
        clock.setAlarm(number, at: end) { [core] in
            // Not on the clock's thread: a stop tells the observers.
            _ = Task(executorPreference: core.environment.executor) { core.clocks.strike(request) }
        }
        keep(.alarm(clock, number))
    }

    /// Stops it with an error of this moment, not of the one at which the clock was set.
    private func strike(_ request: OperationLife.StopRequest) {
        let error = core.stamp(request.error)
        core.stop(.init(error: error, state: request.state, isBeforeStart: request.isBeforeStart))
    }

    /// Runs `body` beside the operation until the operation is finished.
    private func run(_ body: @escaping @Sendable (OperationCore) async throws -> Void) {
        let core = core
        let clock = Task(executorPreference: core.environment.executor) { _ = try? await body(core) }
        keep(.task(clock))
    }

    /// Cancels a timer at the end of the operation.
    private func keep(_ timer: OperationTasks.Timer) {
        let isLate = core.parts.withLock { parts -> Bool in
            guard parts.life.state != .finished else { return true }
            parts.tasks.add(timer)
            return false
        }
        if isLate { timer.cancel() }
    }
}

extension OperationCore {
    var clocks: OperationClocks { OperationClocks(core: self) }
}

extension AOperationError {
    /// The error of an exceeded timeout over all attempts.
    /// - Parameter setting: the name of the timeout for those who set it.
    package static func tookTooLong(
        _ name: String, _ timeout: Duration, setBy setting: String
    ) -> AOperationError {
        AOperationError(
            .timeoutTotal,
            detail: "\(name) was stopped because it took longer than its timeout of \(timeout). "
                + "Raise \(setting) if it may take longer.")
    }
}
