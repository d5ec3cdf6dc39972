internal import Synchronization

extension OperationCore {
    /// Runs the operation from the end of its dependencies to its own end.
    func drive() async {
        await passStates()
        if mustEndInside { await endInside() }
        unload()
    }

    /// Whether it is to stop, was not over before, and has begun something that has to be ended properly.
    private var mustEndInside: Bool { isStopRequested && hasBegunToEndInside }

    /// Continues an earlier run, past everything that it waited for then: the work finds that it is cancelled, and does
    /// its final work.
    private func endInside() async {
        let now = environment.clock.now
        let mayRun = parts.withLock { parts in
            _ = parts.life.apply(.evaluates(at: now))
            _ = parts.life.apply(.isReady(at: now))
            _ = parts.life.apply(.executes(at: now))
            return parts.life.state == .executing && !parts.life.isSettled
        }
        guard mayRun else { return }
        var attempts = AttemptLoop(of: self, startedAt: noteStart())
        await conclude(await attempts.run())
    }

    /// Ends it before its execution, unless its run has to end it.
    private func concludeEarly(_ ending: OperationEnding) async {
        if !mustEndInside { await conclude(ending) }
    }

    /// Returns early when something else ended it or the run was suspended.
    private func passStates() async {
        if isSettled { return }
        if let ending = endingBefore {
            if claimEnd() { finish(ending) }
            return
        }
        if mustEndInside { return }
        if let ending = interruptedAttempt.ending { return await concludeEarly(ending) }
        if let ending = edgeEnding() { return await concludeEarly(ending) }
        if !edges.isEmpty { raise(.inputReady) }
        guard await passDate(), await holdGate.passToEntry(), advance({ .evaluates(at: $0) }) else { return }
        if begunAt == nil, let ending = await gateEnding() { return await concludeEarly(ending) }
        guard advance({ .isReady(at: $0) }) else { return }
        guard await entry.enter() else { return }
        guard await hooks.allowExecution() else {
            return await concludeEarly(OperationEnding(state: .cancelled))
        }
        let startedAt = noteStart()
        if isStopRequested && !settings.endsInside {
            return await conclude(OperationEnding(state: .cancelled))
        }
        var attempts = AttemptLoop(of: self, startedAt: startedAt)
        await conclude(await attempts.run())
    }

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
        let ending = stamped(overruled(proposed))
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

    private func overruled(_ proposed: OperationEnding) -> OperationEnding {
        guard let stop = parts.withLock({ $0.life.stop }) else { return proposed }
        if stop.state == .cancelled && proposed.state == .succeeded { return proposed }
        var error = stop.error
        // Whether the interrupted call may have been delivered is more important than who interrupted it.
        if settings.attemptLabel != nil { error.delivery = proposed.errors.first?.delivery }
        return OperationEnding(state: stop.state, errors: [error])
    }

    private func stamped(_ ending: OperationEnding) -> OperationEnding {
        var ending = ending
        ending.errors = ending.errors.map(stamp)
        return ending
    }

    // MARK: Before execution

    /// The first start in an earlier run of this try; nil without one. Gates and conditions have been decided then, and
    /// are not evaluated again.
    var begunAt: Timestamp? { environment.journal?.history(of: path)?.startedAt }

    /// See `OperationHistory.callPath`.
    package var callPath: [String] { environment.journal?.history(of: path)?.callPath(path) ?? path }

    /// The outcome when a dependency keeps it from running; nil when all let it run.
    private func edgeEnding() -> OperationEnding? {
        for edge in edges {
            guard let ending = edge.core.ending else { continue }
            if let refusal = edge.requirement.refusal(by: edge.core.name, ending) { return refusal }
        }
        return nil
    }

    private func gateEnding() async -> OperationEnding? {
        switch await settings.gate?() {
        case .closed(let error): return OperationEnding(state: .skipped, errors: [error])
        case .broken(let error): return OperationEnding(state: .failed, errors: [error])
        case .open, nil: break
        }
        return await conditionEnding()
    }

    /// The outcome when its conditions do not hold; nil when it may be executed.
    private func conditionEnding() async -> OperationEnding? {
        guard !settings.conditions.isEmpty else { return nil }
        // Ended meanwhile, or suspended: the next step finds that.
        if keys.comeFirst, !(await keys.take()) { return nil }
        raise(.waiting(.conditions(settings.conditions.map(\.name))))
        let dependencies = edges.compactMap { edge in
            edge.core.ending.map { AConditionContext.Dependency(name: edge.core.name, ending: $0) }
        }
        let context = AConditionContext(target: self, dependencies: dependencies)
        return await ConditionEvaluator(settings.conditions)
            .ending(in: context, isStrict: settings.conditionsAreStrict)
    }

    /// Records that the execution begins, or continues after a restart, and arms the timeout from its first start,
    /// unless `armTimeoutAgain` has.
    private func noteStart() -> Timestamp {
        let now = environment.clock.now
        var startedAt = now
        if let journal = environment.journal {
            if let earlier = begunAt {
                startedAt = earlier
            } else {
                journal.record(JournalEntry(at: now, path: path, event: .started))
            }
        }
        raise(.started)
        if begunAt == nil || settings.hasInner { clocks.armTimeout(startedAt: startedAt) }
        return startedAt
    }
}
