/// When the inner condition fails, the operation is skipped instead of failed.
public struct IgnoredCondition: AOperationCondition {
    /// The condition that is asked.
    public let inner: any AOperationCondition

    /// Makes a failure of `inner` no failure.
    public init(_ inner: any AOperationCondition) { self.inner = inner }

    /// `ignored(…)`
    public var name: String { "ignored(\(inner.name))" }
    /// That of the inner one, whose failure counts less.
    public var identity: AConditionIdentity? { AConditionIdentity("ignored", of: [inner]) }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// Ignored when the inner one failed.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        switch await context.verdict(of: inner) {
        case .satisfied: .satisfied
        case .failed(let error), .ignored(let error): .ignored(error)
        }
    }
}
