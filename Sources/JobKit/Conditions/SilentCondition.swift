/// Evaluates the inner condition without side effects, such as a request to a person or a wait.
public struct SilentCondition: OperationCondition, CombinedCondition {
    /// The inner condition.
    public let inner: any OperationCondition

    /// Evaluates `inner` silently.
    public init(_ inner: any OperationCondition) { self.inner = inner }

    var parts: [any OperationCondition] { [inner] }
    /// `silent(…)`
    public var name: String { "silent(\(inner.name))" }
    /// Made of the identity of the inner one.
    public var identity: ConditionIdentity? { ConditionIdentity("silent", of: [inner]) }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// The verdict of the inner one.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        var quiet = context
        quiet.isSilent = true
        return await quiet.verdict(of: inner)
    }
}
