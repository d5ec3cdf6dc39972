internal import Synchronization

extension OperationCore {
    /// Takes the operation from "everything it depends on is finished" to its end.
    func drive() async {
        await passStations()
        if mustEndInside { await endInside() }
        unload()
    }

    /// Whether it is to stop, was not over before, and has begun something that has to be ended properly.
    private var mustEndInside: Bool { isStopRequested && hasBegunToEndInside }

    /// Goes on where an earlier run was, past everything that it waited for then: its work finds that it is to stop,
    /// and does what has to be done finally.
    private func endInside() async {
        let mayRun = standing.withLock { standing in
            _ = standing.lifecycle.apply(.evaluate)
            _ = standing.lifecycle.apply(.makeReady)
            return standing.lifecycle.apply(.execute)
                || standing.lifecycle.state == .executing && !standing.isSettled
        }
        if mayRun { await conclude(await runAttempts(startedAt: noteStart())) }
    }

    /// Ends it before it is executed, unless its run has to end it.
    private func concludeEarly(_ ending: OperationEnding) async {
        if !mustEndInside { await conclude(ending) }
    }

    /// Returns early when something else ended it or the run was suspended.
    private func passStations() async {
        if isSettled { return }
        if let ending = endingBefore {
            if claimEnd() { finish(ending) }
            return
        }
        if mustEndInside { return }
        if let ending = interruptedEnding { return await concludeEarly(ending) }
        if let ending = edgeEnding() { return await concludeEarly(ending) }
        if !edges.isEmpty { raise(.inputReady) }
        guard await passDate(), await passHoldOutside(), advance(.evaluate) else { return }
        if begunAt == nil, let ending = await gateEnding() { return await concludeEarly(ending) }
        guard advance(.makeReady) else { return }
        guard await enterExecution() else { return }
        guard await hooksAllowExecution() else {
            return await concludeEarly(OperationEnding(state: .cancelled))
        }
        let startedAt = noteStart()
        let isOver = isStopRequested && !settings.endsInside
        let ending =
            isOver ? OperationEnding(state: .cancelled) : await runAttempts(startedAt: startedAt)
        await conclude(ending)
    }

    /// How it ended in an earlier run, with what it produced put back; nil when it did not. That counts, whatever
    /// this run wants of it.
    var endingBefore: OperationEnding? {
        guard let ending = environment.journal?.history(of: path)?.ending else { return nil }
        if let result = ending.result { work?.restore(result) }
        return ending
    }

    private func advance(_ event: OperationLifecycle.Event) -> Bool {
        let now = environment.clock.now
        return standing.withLock { standing in
            standing.since = now
            return standing.lifecycle.apply(event)
        }
    }

    /// Ends it with what its own run brought about, unless a clock stopped it before. What others may build on is on
    /// disk before they can see it; the root's ending is the business of whoever runs the tree.
    func conclude(_ proposed: OperationEnding) async {
        guard claimEnd() else { return }
        let ending = stamped(overruled(proposed))
        raise(.willFinish(ending))
        if hasFinishHooks { await callFinishHooks(ending) }
        if let journal = environment.journal, !path.isEmpty {
            journal.record(JournalEntry(at: environment.clock.now, path: path, event: .finished(ending)))
            do { try await journal.flush() } catch {
                standing.withLock { _ = $0.lifecycle.apply(.suspend) }
            }
        }
        finish(ending)
    }

    private func overruled(_ proposed: OperationEnding) -> OperationEnding {
        guard let stop = standing.withLock({ $0.stop }) else { return proposed }
        if stop.state == .cancelled && proposed.state == .succeeded { return proposed }
        var error = stop.error
        // Whether what was cut off may have arrived counts more than who cut it off.
        if settings.attemptLabel != nil { error.delivery = proposed.errors.first?.delivery }
        return OperationEnding(state: stop.state, errors: [error])
    }

    private func stamped(_ ending: OperationEnding) -> OperationEnding {
        var ending = ending
        ending.errors = ending.errors.map(stamp)
        return ending
    }

    // MARK: Before execution

    /// When it was executed for the first time in an earlier run of this try; nil when it was not. What it is to be
    /// executed for is decided then, and not asked again.
    var begunAt: Timestamp? { environment.journal?.history(of: path)?.startedAt }

    /// See `OperationHistory.callPath`.
    var callPath: [String] { environment.journal?.history(of: path)?.callPath(path) ?? path }

    /// How the edges end it; nil when they let it run.
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

    /// Notes that execution begins, or goes on after a restart, and arms the timeout from its first beginning, unless
    /// `armTimeoutAgain` has.
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
        if begunAt == nil || settings.hasInner { armTimeout(startedAt: startedAt) }
        return startedAt
    }
}

extension AOperationSettings.Requirement {
    /// How an operation ends when `dependency` ended like this; nil when it may run.
    func refusal(by dependency: String, _ ending: OperationEnding) -> OperationEnding? {
        switch (self, ending.state) {
        case (.named(.finished), _), (.named(.succeeded), .succeeded), (.orderly, .succeeded): return nil
        case (.named(.failed), .failed), (.undisturbed, .succeeded), (.undisturbed, .failed): return nil
        case (.undisturbed, _):
            return Self.skip(
                .dependencySkipped, "Not run because \(dependency) was \(ending.state.rawValue).", ending)
        case (.named(.failed), _):
            return Self.skip(
                .dependencySkipped, "Runs only when \(dependency) fails, and it did not.", ending)
        case (.orderly, .skipped) where !Self.isConsequence(ending): return nil
        case (_, .cancelled):
            let error = AOperationError(
                .dependencyCancelled, detail: "Not run because \(dependency) was cancelled.",
                causes: Self.origins(of: ending))
            return OperationEnding(state: .cancelled, errors: [error])
        case (_, .skipped):
            return Self.skip(.dependencySkipped, "Not run because \(dependency) was skipped.", ending)
        default:
            return Self.skip(.dependencyFailed, "Not run because \(dependency) failed.", ending)
        }
    }

    private static func isConsequence(_ ending: OperationEnding) -> Bool {
        ending.errors.first?.code.family == "dependency"
    }

    /// What an ending came from: a consequence hands on its own causes, so that a long chain does not pile them up.
    private static func origins(of ending: OperationEnding) -> [AOperationError] {
        ending.errors.flatMap { error in
            error.code.family == "dependency" && !error.causes.isEmpty ? error.causes : [error]
        }
    }

    private static func skip(_ code: ErrorCode, _ detail: String, _ ending: OperationEnding)
        -> OperationEnding
    {
        OperationEnding(
            state: .skipped, errors: [AOperationError(code, detail: detail, causes: origins(of: ending))])
    }
}
