/// Skips the operation instead of failing it when the inner condition fails.
public struct IgnoredCondition: OperationCondition, CombinedCondition {
    /// The inner condition.
    public let inner: any OperationCondition

    /// Turns a failure of `inner` into a skip.
    public init(_ inner: any OperationCondition) { self.inner = inner }

    var parts: [any OperationCondition] { [inner] }
    /// `ignored(…)`
    public var name: String { "ignored(\(inner.name))" }
    /// Made of the identity of the inner one.
    public var identity: ConditionIdentity? { ConditionIdentity("ignored", of: [inner]) }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// Ignored when the inner one failed.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        switch await context.verdict(of: inner) {
        case .satisfied: .satisfied
        case .failed(let error), .ignored(let error): .ignored(error)
        }
    }
}
