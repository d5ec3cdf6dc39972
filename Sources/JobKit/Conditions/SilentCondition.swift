/// Evaluates the inner condition without side effects, such as a request to a person or a wait.
public struct SilentCondition: AOperationCondition, CombinedCondition {
    /// The inner condition.
    public let inner: any AOperationCondition

    /// Evaluates `inner` silently.
    public init(_ inner: any AOperationCondition) { self.inner = inner }

    var parts: [any AOperationCondition] { [inner] }
    /// `silent(…)`
    public var name: String { "silent(\(inner.name))" }
    /// Made of the identity of the inner one.
    public var identity: AConditionIdentity? { AConditionIdentity("silent", of: [inner]) }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// The verdict of the inner one.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        var quiet = context
        quiet.isSilent = true
        return await quiet.verdict(of: inner)
    }
}
