/// Requires that the inner condition does not hold. One that could not be evaluated (`condition.broken`) fails here,
/// too.
public struct NegatedCondition: AOperationCondition {
    /// The condition that must not hold.
    public let inner: any AOperationCondition

    /// Negates `inner`.
    public init(_ inner: any AOperationCondition) { self.inner = inner }

    /// `not(…)`
    public var name: String { "not(\(inner.name))" }
    /// Made of the identity of the inner one.
    public var identity: AConditionIdentity? { AConditionIdentity("negated", of: [inner]) }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// Satisfied when the inner one failed or was ignored.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        let verdict = await context.verdict(of: inner)
        switch verdict {
        case .satisfied:
            return .failed(
                AOperationError(
                    .conditionNegated, detail: "\(inner.name) holds, and must not.", state: .condition))
        case .failed(let error) where verdict.isBroken: return .failed(error)
        case .ignored(let error) where verdict.isBroken: return .failed(error)
        case .failed, .ignored: return .satisfied
        }
    }
}
