/// Every one of several conditions holds. All are asked, at the same time unless said otherwise, and the error has the
/// failures of all as its causes, in declared order.
///
/// Some satisfied and the others ignored is satisfied; all ignored is ignored. When nothing failed but some questions
/// could not be answered, this one could not be answered, either (`condition.broken`).
public struct AllCondition: AOperationCondition {
    /// The conditions, at least one.
    public let conditions: [any AOperationCondition]
    /// Whether they are asked one after the other, up to the first that does not hold.
    public private(set) var isInOrder = false
    /// Whether one that is ignored is enough to be ignored, although others are satisfied.
    public private(set) var isStrict = false

    /// All of these.
    public init(_ first: any AOperationCondition, _ others: any AOperationCondition...) {
        conditions = [first] + others
    }

    /// All of `conditions`; nil when there is none, for nothing would be asked.
    public init?(_ conditions: [any AOperationCondition]) {
        guard !conditions.isEmpty else { return nil }
        self.conditions = conditions
    }

    /// The same, asked one after the other up to the first that fails: a cheap question first spares the dear ones.
    public func inOrder() -> AllCondition {
        var copy = self
        copy.isInOrder = true
        return copy
    }

    /// The same, ignored as soon as one is, although others are satisfied. A failure still counts more.
    public func strict() -> AllCondition {
        var copy = self
        copy.isStrict = true
        return copy
    }

    /// `all(…)`
    public var name: String { "all(\(conditions.map(\.name).joined(separator: ", ")))" }
    /// Those of the inner ones together.
    public var identity: AConditionIdentity? {
        AConditionIdentity("all", of: conditions, ["\(isInOrder)", "\(isStrict)"])
    }
    /// Those of the inner ones.
    public var exclusionKeys: [String] { conditions.flatMap(\.exclusionKeys) }

    /// Satisfied when none failed and not all were ignored.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        let evaluator = ConditionEvaluator(conditions)
        let verdicts =
            isInOrder
            ? await evaluator.verdictsInOrder(in: context) { if case .failed = $0 { true } else { false } }
            : await evaluator.verdicts(in: context)
        let tally = ConditionTally(verdicts)
        if !tally.failures.isEmpty {
            let detail = "\(tally.failures.count) of \(evaluator.conditions.count) conditions do not hold."
            return .failed(
                AOperationError(
                    tally.isUndecided ? .conditionBroken : .conditionNotAll, detail: detail,
                    state: .condition, causes: tally.failures))
        }
        if tally.ignored.isEmpty || (tally.satisfied > 0 && !isStrict) { return .satisfied }
        let detail = "\(tally.ignored.count) of \(evaluator.conditions.count) conditions were ignored."
        return .ignored(
            AOperationError(
                .conditionNotAll, detail: detail, state: .condition, causes: tally.ignored))
    }
}
