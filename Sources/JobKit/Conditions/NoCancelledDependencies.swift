/// Nothing the operation depends on was cancelled. Failures and skips are no concern of this condition.
public struct NoCancelledDependencies: AOperationCondition {
    /// Looks for cancelled dependencies.
    public init() {}

    /// `no_cancelled_dependencies`
    public var name: String { "no_cancelled_dependencies" }
    /// All of them are the same.
    public var identity: AConditionIdentity? { AConditionIdentity(name) }

    /// Looks at how each dependency ended.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        let cancelled = context.dependencies.filter { $0.ending.state == .cancelled }
        if cancelled.isEmpty { return .satisfied }
        return .failed(
            .dependencies("Dependencies were cancelled", cancelled, .conditionDependenciesCancelled))
    }
}
