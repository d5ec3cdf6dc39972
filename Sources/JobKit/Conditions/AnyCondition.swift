/// At least one of several conditions holds. They are asked at the same time; the first that is satisfied decides, and
/// the others are called off.
///
/// When none is satisfied: all ignored is ignored, otherwise it fails with the errors of all as causes, in declared
/// order. A question that could not be answered might have been the one that holds, so this one could not be answered
/// then, either (`condition.broken`).
public struct AnyCondition: AOperationCondition {
    /// The conditions, at least one.
    public let conditions: [any AOperationCondition]

    /// One of these.
    public init(_ first: any AOperationCondition, _ others: any AOperationCondition...) {
        conditions = [first] + others
    }

    /// One of `conditions`; nil when there is none, for it could never hold.
    public init?(_ conditions: [any AOperationCondition]) {
        guard !conditions.isEmpty else { return nil }
        self.conditions = conditions
    }

    /// `any(…)`
    public var name: String { "any(\(conditions.map(\.name).joined(separator: ", ")))" }
    /// Those of the inner ones together.
    public var identity: AConditionIdentity? { AConditionIdentity("any", of: conditions) }
    /// Those of the inner ones: which of them decides is not known before.
    public var exclusionKeys: [String] { conditions.flatMap(\.exclusionKeys) }

    /// Satisfied as soon as one is.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        let evaluator = ConditionEvaluator(conditions)
        let tally = ConditionTally(
            await evaluator.verdicts(in: context) { if case .satisfied = $0 { true } else { false } })
        if tally.satisfied > 0 || evaluator.conditions.isEmpty { return .satisfied }
        if tally.failures.isEmpty {
            return .ignored(
                AOperationError(
                    .conditionNone, detail: "All conditions were ignored.", state: .condition,
                    causes: tally.ignored))
        }
        let detail = "None of \(evaluator.conditions.count) conditions holds."
        return .failed(
            AOperationError(
                isBroken(tally) ? .conditionBroken : .conditionNone, detail: detail, state: .condition,
                causes: tally.failures))
    }

    /// One question without an answer is enough: it might have been the one that holds.
    private func isBroken(_ tally: ConditionTally) -> Bool {
        tally.failures.contains { $0.code == .conditionBroken }
    }
}
