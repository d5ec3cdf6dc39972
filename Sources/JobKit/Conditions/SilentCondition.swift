/// The inner condition only looks: what it would bring about by itself is left out, such as a request to a person or a
/// wait.
public struct SilentCondition: AOperationCondition {
    /// The condition that is asked.
    public let inner: any AOperationCondition

    /// Asks `inner` quietly.
    public init(_ inner: any AOperationCondition) { self.inner = inner }

    /// `silent(…)`
    public var name: String { "silent(\(inner.name))" }
    /// That of the inner one, asked quietly.
    public var identity: AConditionIdentity? { AConditionIdentity("silent", of: [inner]) }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// What the inner one says.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        var quiet = context
        quiet.isSilent = true
        return await quiet.verdict(of: inner)
    }
}
