/// Asks several conditions at the same time and keeps their answers in declared order. What asks nothing is left out,
/// and what is declared twice is asked once.
struct ConditionEvaluator: Sendable {
    /// With the place of each among the declared ones.
    let conditions: [(place: Int, condition: any AOperationCondition)]

    init(_ declared: [any AOperationCondition]) {
        var seen: Set<AConditionIdentity> = []
        conditions = declared.enumerated().filter { _, condition in
            if condition is MutualExclusion { return false }
            guard let identity = condition.identity else { return true }
            return seen.insert(identity).inserted
        }.map { ($0.offset, $0.element) }
    }

    /// How the conditions end the operation; nil when it may be executed.
    func ending(in context: AConditionContext) async -> OperationEnding? {
        let tally = ConditionTally(await verdicts(in: context))
        if !tally.failures.isEmpty { return OperationEnding(state: .failed, errors: tally.failures) }
        if tally.satisfied == 0, !tally.ignored.isEmpty {
            return OperationEnding(state: .skipped, errors: tally.ignored)
        }
        return nil
    }

    /// All answers, in declared order. As soon as one `ends` the question, the others are called off and it is the
    /// only one given.
    func verdicts(
        in context: AConditionContext, until ends: @Sendable (AConditionVerdict) -> Bool = { _ in false }
    ) async -> [AConditionVerdict] {
        if conditions.isEmpty { return [] }
        // Whoever asks from inside a condition only waits meanwhile: its own place is lent to one of the inner ones.
        let own = context.isInside ? 1 : 0
        context.core.count(openConditions: conditions.count - own)
        defer { context.core.count(openConditions: own) }
        // Most operations have one: it needs no task of its own.
        if conditions.count == 1 {
            let verdict = await verdict(at: 0, in: context)
            context.core.count(openConditions: -1)
            return [verdict]
        }
        return await withTaskGroup(of: (Int, AConditionVerdict).self) { group in
            for index in conditions.indices {
                group.addTask {
                    let verdict = await verdict(at: index, in: context)
                    context.core.count(openConditions: -1)
                    return (index, verdict)
                }
            }
            var verdicts = [AConditionVerdict?](repeating: nil, count: conditions.count)
            for await (index, verdict) in group {
                verdicts[index] = verdict
                if ends(verdict) {
                    group.cancelAll()
                    return [verdict]
                }
            }
            return verdicts.compactMap { $0 }
        }
    }

    /// The answers one after the other, up to and with the first that `ends`.
    func verdictsInOrder(
        in context: AConditionContext, until ends: (AConditionVerdict) -> Bool
    ) async -> [AConditionVerdict] {
        var verdicts: [AConditionVerdict] = []
        for index in conditions.indices {
            let verdict = await verdict(at: index, in: context)
            verdicts.append(verdict)
            if ends(verdict) { break }
        }
        return verdicts
    }

    private func verdict(at index: Int, in context: AConditionContext) async -> AConditionVerdict {
        let (place, condition) = conditions[index]
        var own = context
        own.question += "[\(place)]"
        return await own.verdict(of: condition)
    }
}

/// The answers of several conditions, sorted by what they say.
struct ConditionTally: Sendable {
    private(set) var satisfied = 0
    private(set) var failures: [AOperationError] = []
    private(set) var ignored: [AOperationError] = []

    init(_ verdicts: [AConditionVerdict]) {
        for verdict in verdicts {
            switch verdict {
            case .satisfied: satisfied += 1
            case .failed(let error): failures.append(error)
            case .ignored(let error): ignored.append(error)
            }
        }
    }

    /// Whether each failure is a question that could not be answered.
    var isUndecided: Bool { !failures.isEmpty && failures.allSatisfy { $0.code == .conditionBroken } }
}
