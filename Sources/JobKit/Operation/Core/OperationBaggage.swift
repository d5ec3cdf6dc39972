internal import Synchronization

/// The code that an operation brings along besides its work: released at its end, with everything that it retains.
final class OperationBaggage: Sendable {
    let gate: (@Sendable () async -> OperationSettings.GateVerdict)?
    let conditions: [any OperationCondition]
    let hooks: [OperationHook]
    let decideRetry: (@Sendable (AOperationError, RetrySituation) -> RetryVerdict)?
    var origin: OperationSettings.OriginRule? { origins.first }
    /// None or one: large, and nothing that operations without calls have.
    private let origins: [OperationSettings.OriginRule]

    /// Takes the code out of `settings`; nil when there is none.
    init?(from settings: inout OperationSettings) {
        guard
            settings.gate != nil || !settings.conditions.isEmpty || !settings.hooks.isEmpty
                || settings.decideRetry != nil || settings.origin != nil
        else { return nil }
        (gate, conditions, hooks) = (settings.gate, settings.conditions, settings.hooks)
        decideRetry = settings.decideRetry
        origins = settings.origin.map { [$0] } ?? []
        (settings.gate, settings.conditions, settings.hooks) = (nil, [], [])
        settings.decideRetry = nil
        if !origins.isEmpty { settings.origin = nil }
        settings.hasBaggage = true
    }
}

extension OperationCore {
    /// Nil without any, and after the end.
    var baggage: OperationBaggage? { settings.hasBaggage ? parts.withLock { $0.baggage } : nil }
    /// Empty after the end.
    var conditions: [any OperationCondition] { baggage?.conditions ?? [] }
}

extension OperationBaggage {
    /// The outcome of an operation whose gate is closed, or whose conditions do not hold; nil when it may be executed.
    func ending(of core: OperationCore) async -> OperationEnding? {
        switch await gate?() {
        case .closed(let error): return OperationEnding(state: .skipped, errors: [error])
        case .broken(let error): return OperationEnding(state: .failed, errors: [error])
        case .open, nil: break
        }
        if conditions.isEmpty { return nil }
        // Ended meanwhile, or suspended: the next step finds that.
        if core.keys.comeFirst, !(await core.keys.take()) { return nil }
        core.raise(.waiting(.conditions(conditions.map(\.name))))
        let dependencies = core.edges.compactMap { edge in
            edge.core.ending.map { ConditionContext.Dependency(name: edge.core.name, ending: $0) }
        }
        let context = ConditionContext(target: core, dependencies: dependencies)
        return await ConditionEvaluator(conditions)
            .ending(in: context, isStrict: core.settings.conditionsAreStrict)
    }
}

extension [OperationSettings.Edge] {
    /// The outcome when one of them keeps an operation from running; nil when all let it run.
    var refusal: OperationEnding? {
        for edge in self {
            guard let ending = edge.core.ending else { continue }
            if let refusal = edge.requirement.refusal(by: edge.core.name, ending) { return refusal }
        }
        return nil
    }
}

extension OperationEnding {
    /// The outcome after a stop that came before the end, with its errors completed.
    func overruled(in core: OperationCore) -> OperationEnding {
        var ending = self
        if let stop = core.parts.withLock({ $0.life.stop }),
            stop.state != .cancelled || state != .succeeded
        {
            var error = stop.error
            // Whether the interrupted call may have been delivered is more important than the cause of the stop.
            if core.settings.attemptLabel != nil { error.delivery = errors.first?.delivery }
            ending = OperationEnding(state: stop.state, errors: [error])
        }
        ending.errors = ending.errors.map(core.stamp)
        return ending
    }
}
