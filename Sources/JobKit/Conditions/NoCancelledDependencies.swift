/// Requires that no dependency was cancelled. Failures and skips do not matter.
public struct NoCancelledDependencies: OperationCondition {
    /// Creates the condition.
    public init() {}

    /// `no_cancelled_dependencies`
    public var name: String { "no_cancelled_dependencies" }
    /// All are equal.
    public var identity: ConditionIdentity? { ConditionIdentity(name) }

    /// Checks the ending of each dependency.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let cancelled = context.dependencies.filter { $0.ending.state == .cancelled }
        if cancelled.isEmpty { return .satisfied }
        return .failed(
            .dependencies("Dependencies were cancelled", cancelled, .conditionDependenciesCancelled))
    }
}
