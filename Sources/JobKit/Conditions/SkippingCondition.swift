/// Skips the operation instead of failing it when the inner condition does not hold. One that could not be evaluated
/// fails here, too, unlike in an `IgnoredCondition`: a skip is always a decision.
package struct SkippingCondition: AOperationCondition, CombinedCondition {
    private let inner: any AOperationCondition

    /// Turns a refusal by `inner` into a skip.
    package init(_ inner: any AOperationCondition) { self.inner = inner }

    var parts: [any AOperationCondition] { [inner] }
    /// That of the inner one.
    package var name: String { inner.name }
    /// Made of the identity of the inner one.
    package var identity: AConditionIdentity? { AConditionIdentity("skipping", of: [inner]) }
    /// Those of the inner one.
    package var exclusionKeys: [String] { inner.exclusionKeys }

    /// Ignored when the inner one failed, unless it could not be evaluated.
    package func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        let verdict = await context.verdict(of: inner)
        if case .failed(let error) = verdict, !verdict.isBroken { return .ignored(error) }
        return verdict
    }
}
