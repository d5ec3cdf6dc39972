/// Skips the operation instead of failing it when the inner condition does not hold. One that could not be evaluated
/// fails here, too, unlike in an `IgnoredCondition`: a skip is always a decision.
package struct SkippingCondition: OperationCondition, CombinedCondition {
    private let inner: any OperationCondition

    /// Turns a refusal by `inner` into a skip.
    package init(_ inner: any OperationCondition) { self.inner = inner }

    var parts: [any OperationCondition] { [inner] }
    /// That of the inner one.
    package var name: String { inner.name }
    /// Made of the identity of the inner one.
    package var identity: ConditionIdentity? { ConditionIdentity("skipping", of: [inner]) }
    /// Those of the inner one.
    package var exclusionKeys: [String] { inner.exclusionKeys }

    /// Ignored when the inner one failed, unless it could not be evaluated.
    package func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let verdict = await context.verdict(of: inner)
        if case .failed(let error) = verdict, !verdict.isBroken { return .ignored(error) }
        return verdict
    }
}
