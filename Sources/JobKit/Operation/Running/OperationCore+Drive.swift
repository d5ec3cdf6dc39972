internal import Synchronization

extension OperationCore {
    /// Runs the operation from the end of its dependencies to its own end.
    func drive() async {
        if await passStates() { await endDriving() }
    }

    private func endDriving() async {
        if mustEndInside { await endInside() }
        unload()
    }

    /// Whether it is to stop, was not over before, and has begun something that has to be ended properly.
    private var mustEndInside: Bool { isStopRequested && hasBegunToEndInside }

    /// Continues an earlier run, past everything that it waited for then: the work finds that it is cancelled, and does
    /// its final work.
    private func endInside() async {
        entry.leavePlace()
        let now = environment.clock.now
        let mayRun = parts.withLock { parts in
            _ = parts.life.apply(.evaluates(at: now))
            _ = parts.life.apply(.isReady(at: now))
            _ = parts.life.apply(.executes(at: now))
            return parts.life.state == .executing && !parts.life.isSettled
        }
        guard mayRun else { return }
        var attempts = AttemptLoop.begin(self)
        await execute(&attempts)
    }

    /// Ends it before its execution, unless its run has to end it.
    private func concludeEarly(_ ending: OperationEnding) async {
        if !mustEndInside { await conclude(ending) }
    }

    // Each step in a function of its own: what one of them keeps would else be kept while its work is done.

    /// Returns early when something else ended it or the run was suspended.
    /// - Returns: false when it is parked, and another task will drive it.
    private func passStates() async -> Bool {
        guard await passToEntry() else { return true }
        return await enter(hasKeys: false)
    }

    /// Passes all states before its entry into execution; false when it ended or the run was suspended.
    private func passToEntry() async -> Bool {
        if isSettled { return false }
        if endedBefore || mustEndInside { return false }
        if let ending = earlyEnding { return await endsEarly(ending) }
        if !edges.isEmpty { raise(.inputReady) }
        guard await DateGate(core: self).pass(), await holdGate.passToEntry(),
            advance({ .evaluates(at: $0) })
        else { return false }
        if settings.hasBaggage, begunAt == nil, let ending = await baggage?.ending(of: self) {
            return await endsEarly(ending)
        }
        return advance { .isReady(at: $0) }
    }

    private func endsEarly(_ ending: OperationEnding) async -> Bool {
        await concludeEarly(ending)
        return false
    }

    /// Enters execution, and executes.
    private func enter(hasKeys: Bool) async -> Bool {
        switch await entry.enter(hasKeys: hasKeys) {
        case .parked: return false
        case .over: return true
        case .entered: break
        }
        guard await hooks.allowExecution() else {
            await concludeEarly(OperationEnding(state: .cancelled))
            return true
        }
        var attempts = AttemptLoop.begin(self)
        if isStopRequested && !settings.endsInside {
            await conclude(OperationEnding(state: .cancelled))
            return true
        }
        return await execute(&attempts)
    }

    /// Goes on with its entry after it was parked.
    func enter(afterParking hasKeys: Bool) async {
        if hasKeys, !(await enter(hasKeys: true)) { return }
        await endDriving()
    }

    /// Makes its attempts, and ends it.
    /// - Returns: false when it is parked.
    @discardableResult
    private func execute(_ attempts: inout AttemptLoop) async -> Bool {
        guard let ending = await attempts.run() else { return false }
        await conclude(ending)
        return true
    }

    /// Goes on with its attempts after it was parked.
    func execute(after begin: Timestamp, isOver: Bool, _ attempts: AttemptLoop) async {
        var attempts = attempts
        guard let ending = await attempts.goOn(after: begin, isOver: isOver) else { return }
        await conclude(ending)
        await endDriving()
    }

    /// Ends it as an earlier run did; false when none did.
    private var endedBefore: Bool {
        guard let ending = endingBefore else { return false }
        if claimEnd() { finish(ending) }
        return true
    }

    /// The outcome of what came before this run, or before its turn.
    private var earlyEnding: OperationEnding? { interruptedAttempt.ending ?? edges.refusal }

    /// The outcome of an earlier run, which also restores its output; nil when it did not end. It takes precedence over
    /// all requests in this run.
    var endingBefore: OperationEnding? {
        guard let ending = environment.journal?.history(of: path)?.ending else { return nil }
        if let result = ending.result { work?.restore(result) }
        return ending
    }

    private func advance(_ event: (Timestamp) -> OperationLife.Event) -> Bool {
        let event = event(environment.clock.now)
        return parts.withLock { $0.life.accepts(event) }
    }

    /// Ends it with the outcome of its run, unless a timeout ended it before. The outcome is on disk before others can
    /// see and build on it; the owner of the tree stores the root's ending.
    func conclude(_ proposed: OperationEnding) async {
        guard claimEnd() else { return }
        let ending = proposed.overruled(in: self)
        raise(.willFinish(ending))
        if hooks.hasFinishHooks { await hooks.announce(ending) }
        if let journal = environment.journal, !path.isEmpty {
            journal.record(JournalEntry(at: environment.clock.now, path: path, event: .finished(ending.kept)))
            do { try await journal.flush() } catch {
                parts.withLock { _ = $0.life.apply(.suspended) }
            }
        }
        finish(ending)
    }

    // MARK: Before execution

    /// The first start in an earlier run of this try; nil without one. Gates and conditions have been decided then, and
    /// are not evaluated again.
    var begunAt: Timestamp? { environment.journal?.history(of: path)?.startedAt }

    /// See `OperationHistory.callPath`.
    package var callPath: [String] { environment.journal?.history(of: path)?.callPath(path) ?? path }
}
