internal import Synchronization

extension OperationCore {
    /// Asks it to stop on somebody's wish.
    func cancel(code: ErrorCode, reason: String?) {
        Self.cancel([self], code: code, reason: reason)
    }

    /// Asks all of them to stop on somebody's wish, each before any of them ends: none ends, or begins, because another
    /// one did.
    static func cancel(_ operations: [OperationCore], code: ErrorCode, reason: String?) {
        let upstream = operations.map(\.upstreamToCancel)
        stop(operations.map { ($0, $0.wish(code, reason)) }, reason: reason)
        for (operation, needed) in zip(operations, upstream) { operation.cancelUnwanted(of: needed, code) }
    }

    private func cancelUnwanted(of upstream: [OperationCore], _ code: ErrorCode) {
        let reason = "\(name), which needed it, was cancelled"
        var upstream = upstream
        while let next = upstream.popLast() {
            guard next.isUnwanted else { continue }
            upstream += next.upstreamToCancel
            next.stop(next.wish(code, reason), reason: reason)
        }
    }

    private func wish(_ code: ErrorCode, _ reason: String?) -> StopRequest {
        let detail = reason.map { "\(name) was cancelled: \($0)" } ?? "\(name) was cancelled."
        return StopRequest(error: stamp(AOperationError(code, detail: detail)), state: .cancelled)
    }

    /// What is cancelled with it, as long as nobody else waits for that.
    private var upstreamToCancel: [OperationCore] { settings.cancelsUpstream ? edges.map(\.core) : [] }

    /// Whether everybody who waits for it is over or asked to stop.
    private var isUnwanted: Bool {
        standing.withLock { $0.dependants }.allSatisfy { $0.ending != nil || $0.isStopRequested }
    }

    /// Asks it to stop. What is not being executed ends here and now; what is gets its task cancelled and its grace
    /// period. Only the first request counts.
    func stop(_ request: StopRequest, reason: String? = nil) {
        Self.stop([(self, request)], reason: reason)
    }

    /// The same for several; each has its request before the first one ends.
    static func stop(_ requests: [(core: OperationCore, request: StopRequest)], reason: String? = nil) {
        let taken = requests.map { $0.core.take($0.request) }
        for ((core, request), taken) in zip(requests, taken) {
            guard let taken else { continue }
            core.raise(.cancelRequested(reason: reason))
            taken.task?.cancel()
            if taken.endsNow {
                core.end(OperationEnding(state: request.state, errors: [request.error]))
            } else {
                core.armGrace(request)
            }
        }
        // What has to be done finally inside of them is not held up any more.
        requests.first?.core.environment.hold.lookAgain()
    }

    /// Whether it is settled how it ends, or that a later run decides it: no request stops it any more.
    var isSettled: Bool { standing.withLock { $0.isSettled } }

    /// Notes the request; nil when it is not the first one. When it says so, the caller must end the operation now.
    private func take(_ request: StopRequest) -> (endsNow: Bool, task: Task<Void, Never>?)? {
        let hasBegun = hasBegunToEndInside
        return standing.withLock { standing in
            guard standing.stop == nil, !standing.isSettled else { return nil }
            standing.stop = request
            if standing.lifecycle.state == .executing || hasBegun { return (false, standing.task) }
            return (standing.lifecycle.apply(.end), standing.task)
        }
    }

    /// Whether it began, in this run or an earlier one, and has something to do at its end.
    var hasBegunToEndInside: Bool {
        settings.endsInside && begunAt != nil
    }

    /// Ends it from outside its own run; the note in the journal becomes durable with the next flush.
    private func end(_ ending: OperationEnding) {
        if let known = endingBefore { return finish(known) }
        raise(.willFinish(ending))
        guard hasFinishHooks else { return finishNoted(ending) }
        _ = Task(executorPreference: environment.executor) {
            await self.callFinishHooks(ending)
            self.finishNoted(ending)
        }
    }

    private func finishNoted(_ ending: OperationEnding) {
        if let journal = environment.journal, !path.isEmpty {
            journal.record(JournalEntry(at: environment.clock.now, path: path, event: .finished(ending)))
        }
        finish(ending)
    }

    private func armGrace(_ request: StopRequest) {
        guard let grace = settings.grace else { return }
        watch { core in
            // What runs inside of it has a grace period of its own, and is waited for.
            repeat { try await core.environment.clock.sleep(for: grace) } while core.hasOpenChildren
            guard core.claimEnd() else { return }
            core.end(OperationEnding(state: request.state, errors: [request.error], abandoned: true))
        }
    }

    private var hasOpenChildren: Bool { standing.withLock { $0.children }.contains { $0.ending == nil } }

    /// What began in an earlier run has its time also while it waits to go on. That of something with others inside is
    /// counted once it is executed, so that they are there to be ended; it is not kept from that.
    func armTimeoutAgain() {
        guard settings.timeout != nil, !settings.hasInner, let begunAt, endingBefore == nil,
            interruptedEnding == nil
        else { return }
        armTimeout(startedAt: begunAt)
    }

    /// Counts the timeout from the first beginning of the execution, which is just now unless it was in an earlier
    /// run.
    func armTimeout(startedAt: Timestamp) {
        guard let timeout = settings.timeout else { return }
        let clock = environment.clock
        let end = begunAt == nil ? clock.end(after: timeout) : clock.end(of: timeout, since: startedAt)
        armClock(until: end, .tookTooLong(name, timeout))
    }

    /// Counts the deadline from the submission.
    func armDeadline() {
        guard let deadline = settings.deadline else { return }
        let end =
            switch deadline {
            case .at(let date): WaitEnd(date)
            case .afterSubmission(let duration): end(afterSubmission: duration)
            }
        let error = AOperationError(
            .timeoutDeadline, detail: "\(name) was stopped because its deadline passed.")
        armClock(until: end, error)
    }

    /// Stops it at that time with an error; at once when the time is past.
    func armClock(until end: WaitEnd, _ error: AOperationError) {
        let request = StopRequest(error: stamp(error), state: .failed)
        if end.hasCome(by: environment.clock) { return stop(request) }
        standing.withLock { $0.alarm = min($0.alarm ?? end.date, end.date) }
        watch { core in
            try await end.sleep(by: core.environment.clock)
            core.stop(request)
        }
    }

    /// Runs `body` beside the operation until the operation is finished.
    private func watch(_ body: @escaping @Sendable (OperationCore) async throws -> Void) {
        let watch = Task(executorPreference: environment.executor) { _ = try? await body(self) }
        let isLate = standing.withLock { standing -> Bool in
            guard standing.ending == nil else { return true }
            standing.watches.append(watch)
            return false
        }
        if isLate { watch.cancel() }
    }
}

extension AOperationError {
    /// The clock over all of an operation's attempts struck.
    static func tookTooLong(_ name: String, _ timeout: Duration) -> AOperationError {
        AOperationError(
            .timeoutTotal,
            detail: "\(name) was stopped because it took longer than its timeout of \(timeout). "
                + "Raise timeouts.total if it may take longer.")
    }
}
