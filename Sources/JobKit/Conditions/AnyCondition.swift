/// Requires at least one of several conditions. They are evaluated at the same time; the first satisfied one decides,
/// and the others are cancelled.
///
/// When none is satisfied: all ignored is ignored, otherwise it fails with the errors of all as causes, in declared
/// order. A condition that could not be evaluated might have held, so the whole could not be evaluated then, either
/// (`condition.broken`).
public struct AnyCondition: OperationCondition, CombinedCondition {
    /// The conditions, at least one.
    public let conditions: [any OperationCondition]

    /// One of these.
    public init(_ first: any OperationCondition, _ others: any OperationCondition...) {
        self.init(first, others)
    }

    init(_ first: any OperationCondition, _ others: [any OperationCondition]) {
        conditions = [first] + others
    }

    /// One of `conditions`; nil when there is none.
    public init?(_ conditions: [any OperationCondition]) {
        guard !conditions.isEmpty else { return nil }
        self.conditions = conditions
    }

    var parts: [any OperationCondition] { conditions }
    /// `any(…)`
    public var name: String { "any(\(conditions.map(\.name).joined(separator: ", ")))" }
    /// Those of the inner ones together.
    public var identity: ConditionIdentity? { ConditionIdentity("any", of: conditions) }
    /// Those of the inner ones, since the deciding one is not known beforehand.
    public var exclusionKeys: [String] { conditions.flatMap(\.exclusionKeys) }

    /// Satisfied as soon as one is.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let evaluator = ConditionEvaluator(conditions)
        let tally = ConditionTally(
            await evaluator.verdicts(in: context) { if case .satisfied = $0 { true } else { false } })
        if tally.satisfied > 0 || evaluator.conditions.isEmpty { return .satisfied }
        if tally.failures.isEmpty {
            return .ignored(
                AOperationError(
                    .conditionNone, detail: "All conditions were ignored.", stage: .condition,
                    causes: tally.ignored))
        }
        let detail = "None of \(evaluator.conditions.count) conditions holds."
        return .failed(
            AOperationError(
                isBroken(tally) ? .conditionBroken : .conditionNone, detail: detail, stage: .condition,
                causes: tally.failures))
    }

    /// One condition without a verdict is enough: it might have held.
    private func isBroken(_ tally: ConditionTally) -> Bool {
        tally.failures.contains { $0.code == .conditionBroken }
    }
}
