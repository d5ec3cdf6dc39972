/// Requires all of several conditions. They are evaluated at the same time by default, and the error has all failures
/// as its causes, in declared order. `stoppingAtFailure` and `inOrder` end the evaluation at the first failure.
///
/// Some satisfied and the others ignored is satisfied; all ignored is ignored. When nothing failed but some could not
/// be evaluated, the whole could not be evaluated, either (`condition.broken`).
public struct AllCondition: OperationCondition, CombinedCondition {
    /// The conditions, at least one.
    public let conditions: [any OperationCondition]
    /// Whether they are evaluated one after another, up to the first that does not hold.
    public private(set) var isInOrder = false
    /// Whether the first failure decides, and the other evaluations are cancelled.
    public private(set) var stopsAtFailure = false
    /// Whether one ignored condition makes the whole ignored, although others are satisfied.
    public private(set) var isStrict = false

    /// All of these.
    public init(_ first: any OperationCondition, _ others: any OperationCondition...) {
        self.init(first, others)
    }

    init(_ first: any OperationCondition, _ others: [any OperationCondition]) {
        conditions = [first] + others
    }

    /// All of `conditions`; nil when there is none.
    public init?(_ conditions: [any OperationCondition]) {
        guard !conditions.isEmpty else { return nil }
        self.conditions = conditions
    }

    /// A copy that evaluates them one after another up to the first failure, so that cheap ones spare expensive ones.
    public func inOrder() -> AllCondition {
        var copy = self
        copy.isInOrder = true
        return copy
    }

    /// A copy that evaluates them at the same time up to the first failure, which cancels the others: the fastest
    /// answer. Only that failure is reported.
    public func stoppingAtFailure() -> AllCondition {
        var copy = self
        copy.stopsAtFailure = true
        return copy
    }

    /// A copy that is ignored as soon as one condition is, although others are satisfied. A failure still takes
    /// precedence.
    public func strict() -> AllCondition {
        var copy = self
        copy.isStrict = true
        return copy
    }

    var parts: [any OperationCondition] { conditions }
    /// `all(…)`
    public var name: String { "all(\(conditions.map(\.name).joined(separator: ", ")))" }
    /// Made of the identities of the inner ones.
    public var identity: ConditionIdentity? {
        ConditionIdentity("all", of: conditions, ["\(isInOrder)", "\(stopsAtFailure)", "\(isStrict)"])
    }
    /// Those of the inner ones.
    public var exclusionKeys: [String] { conditions.flatMap(\.exclusionKeys) }

    /// Satisfied when none failed and not all were ignored.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let evaluator = ConditionEvaluator(conditions)
        let verdicts =
            isInOrder
            ? await evaluator.verdictsInOrder(in: context, until: \.isFailure)
            : await evaluator.verdicts(in: context) { stopsAtFailure && $0.isFailure }
        let tally = ConditionTally(verdicts)
        if !tally.failures.isEmpty {
            let detail = "\(tally.failures.count) of \(evaluator.conditions.count) conditions do not hold."
            return .failed(
                AOperationError(
                    tally.isUndecided ? .conditionBroken : .conditionNotAll, detail: detail,
                    stage: .condition, causes: tally.failures))
        }
        if tally.ignored.isEmpty || (tally.satisfied > 0 && !isStrict) { return .satisfied }
        let detail = "\(tally.ignored.count) of \(evaluator.conditions.count) conditions were ignored."
        return .ignored(
            AOperationError(
                .conditionNotAll, detail: detail, stage: .condition, causes: tally.ignored))
    }
}
