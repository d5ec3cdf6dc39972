/// Requires that the inner condition does not hold. One that could not be evaluated (`condition.broken`) fails here,
/// too.
public struct NegatedCondition: OperationCondition, CombinedCondition {
    /// The condition that must not hold.
    public let inner: any OperationCondition
    /// Whether the failure of a prerequisite is kept instead of negated.
    public let requiresPrerequisites: Bool

    /// Negates `inner`.
    /// - Parameters:
    ///   - inner: the condition that must not hold.
    ///   - requiringPrerequisites: whether it fails, too, when `inner` was not evaluated because its prerequisites did
    ///     not end as it requires. By default that counts as an inner condition that does not hold.
    public init(_ inner: any OperationCondition, requiringPrerequisites: Bool = false) {
        self.inner = inner
        requiresPrerequisites = requiringPrerequisites
    }

    var parts: [any OperationCondition] { [inner] }
    /// `not(…)`
    public var name: String { "not(\(inner.name))" }
    /// Made of the identity of the inner one.
    public var identity: ConditionIdentity? {
        ConditionIdentity("negated", of: [inner], ["\(requiresPrerequisites)"])
    }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// Satisfied when the inner one failed or was ignored.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let verdict = await context.verdict(of: inner)
        switch verdict {
        case .satisfied:
            return .failed(
                AOperationError(
                    .conditionHolds, detail: "\(inner.name) holds, and must not.", stage: .condition))
        case .failed(let error) where verdict.isBroken || isKept(error): return .failed(error)
        case .ignored(let error) where verdict.isBroken: return .failed(error)
        case .failed, .ignored: return .satisfied
        }
    }

    private func isKept(_ error: AOperationError) -> Bool {
        requiresPrerequisites
            && [.conditionPrerequisiteFailed, .conditionPrerequisiteCancelled].contains(error.code)
    }
}
