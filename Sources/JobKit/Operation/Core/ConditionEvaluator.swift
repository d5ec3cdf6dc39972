/// Evaluates several conditions at the same time and keeps their verdicts in declared order. Conditions without an
/// evaluation are omitted, and duplicates are evaluated once.
struct ConditionEvaluator: Sendable {
    /// The conditions with their positions among the declared ones.
    let conditions: [(place: Int, condition: any OperationCondition)]

    init(_ declared: [any OperationCondition]) {
        var seen: Set<ConditionIdentity> = []
        conditions = declared.enumerated().filter { _, condition in
            if condition is MutualExclusion { return false }
            guard let identity = condition.identity else { return true }
            return seen.insert(identity).inserted
        }.map { ($0.offset, $0.element) }
    }

    /// The ending that the conditions cause; nil when the operation may be executed.
    /// - Parameter isStrict: whether one ignored condition skips the operation, although others are satisfied.
    func ending(in context: ConditionContext, isStrict: Bool) async -> OperationEnding? {
        let tally = ConditionTally(await verdicts(in: context))
        if !tally.failures.isEmpty { return OperationEnding(state: .failed, errors: tally.failures) }
        if isStrict || tally.satisfied == 0, !tally.ignored.isEmpty {
            return OperationEnding(state: .skipped, errors: tally.ignored)
        }
        return nil
    }

    /// All verdicts, in declared order. As soon as one satisfies `ends`, the others are cancelled and it is the only
    /// one returned.
    func verdicts(
        in context: ConditionContext, until ends: @Sendable (ConditionVerdict) -> Bool = { _ in false }
    ) async -> [ConditionVerdict] {
        if conditions.isEmpty { return [] }
        // An enclosing condition only waits meanwhile: its slot is lent to one of the inner ones.
        let own = context.isInside ? 1 : 0
        defer { context.core.count(openConditions: own) }
        // Most operations have one: it needs no separate task.
        if conditions.count == 1 {
            context.core.count(openConditions: 1 - own)
            let verdict = await verdict(at: 0, in: context)
            context.core.count(openConditions: -1)
            return [verdict]
        }
        var context = context
        let last = conditions.indices.filter { conditions[$0].condition.looksAtOthers }
        if !last.isEmpty { context.needs = context.needs ?? NeededEndings() }
        let first = conditions.indices.filter { !last.contains($0) }
        context.core.count(openConditions: first.count - own)
        var verdicts = await verdicts(at: first, in: context, until: ends)
        if verdicts.decisive == nil, !last.isEmpty {
            context.core.count(openConditions: last.count)
            verdicts.add(await self.verdicts(at: last, in: context, until: ends))
        }
        return verdicts.inOrder
    }

    /// Verdicts with the positions of their conditions.
    private struct Verdicts {
        var all: [(index: Int, verdict: ConditionVerdict)] = []
        /// The one that ended the evaluation.
        var decisive: ConditionVerdict?

        var inOrder: [ConditionVerdict] {
            decisive.map { [$0] } ?? all.sorted { $0.index < $1.index }.map(\.verdict)
        }

        mutating func add(_ more: Verdicts) { (all, decisive) = (all + more.all, more.decisive) }
    }

    /// Evaluates some of the conditions at the same time.
    private func verdicts(
        at indices: [Int], in context: ConditionContext, until ends: @Sendable (ConditionVerdict) -> Bool
    ) async -> Verdicts {
        await withTaskGroup(of: (Int, ConditionVerdict).self) { group in
            for index in indices {
                group.addTask {
                    let verdict = await verdict(at: index, in: context)
                    context.core.count(openConditions: -1)
                    return (index, verdict)
                }
            }
            var verdicts = Verdicts()
            for await (index, verdict) in group {
                verdicts.all.append((index, verdict))
                if ends(verdict) {
                    group.cancelAll()
                    verdicts.decisive = verdict
                    break
                }
            }
            return verdicts
        }
    }

    /// The verdicts one after another, up to and including the first that satisfies `ends`.
    func verdictsInOrder(
        in context: ConditionContext, until ends: (ConditionVerdict) -> Bool
    ) async -> [ConditionVerdict] {
        var verdicts: [ConditionVerdict] = []
        for index in conditions.indices {
            let verdict = await verdict(at: index, in: context)
            verdicts.append(verdict)
            if ends(verdict) { break }
        }
        return verdicts
    }

    private func verdict(at index: Int, in context: ConditionContext) async -> ConditionVerdict {
        let (place, condition) = conditions[index]
        var own = context
        own.question += "[\(place)]"
        return await own.verdict(of: condition)
    }
}

/// The verdicts of several conditions, by kind.
struct ConditionTally: Sendable {
    private(set) var satisfied = 0
    private(set) var failures: [AOperationError] = []
    private(set) var ignored: [AOperationError] = []

    init(_ verdicts: [ConditionVerdict]) {
        for verdict in verdicts {
            switch verdict {
            case .satisfied: satisfied += 1
            case .failed(let error): failures.append(error)
            case .ignored(let error): ignored.append(error)
            }
        }
    }

    /// Whether all failures are conditions that could not be evaluated.
    var isUndecided: Bool { !failures.isEmpty && failures.allSatisfy { $0.code == .conditionBroken } }
}
