/// The inner condition does not hold. One that could not be evaluated (`condition.broken`) fails here, too.
public struct NegatedCondition: AOperationCondition {
    /// The condition that must not hold.
    public let inner: any AOperationCondition

    /// Turns `inner` round.
    public init(_ inner: any AOperationCondition) { self.inner = inner }

    /// `not(…)`
    public var name: String { "not(\(inner.name))" }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// Satisfied when the inner one failed or was ignored.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        switch await inner.evaluate(in: context) {
        case .satisfied:
            return .failed(
                AOperationError(
                    .conditionNegated, detail: "\(inner.name) holds, and must not.", state: .condition))
        case .failed(let error) where error.code == .conditionBroken: return .failed(error)
        case .failed, .ignored: return .satisfied
        }
    }
}

/// The inner condition is asked without what it would bring about by itself, such as a request to a person.
public struct SilentCondition: AOperationCondition {
    /// The condition that is asked.
    public let inner: any AOperationCondition

    /// Asks `inner` quietly.
    public init(_ inner: any AOperationCondition) { self.inner = inner }

    /// `silent(…)`
    public var name: String { "silent(\(inner.name))" }
    /// Those of the inner one.
    public var exclusionKeys: [String] { inner.exclusionKeys }

    /// What the inner one says.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        await inner.evaluate(in: context)
    }
}

/// A closure as a condition.
public struct ClosureCondition: AOperationCondition {
    /// What it is called.
    public let name: String
    private let body: @Sendable (AConditionContext) async -> AConditionVerdict

    /// Asks `body`.
    public init(_ name: String, body: @escaping @Sendable (AConditionContext) async -> AConditionVerdict) {
        self.name = name
        self.body = body
    }

    /// Asks the closure.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict { await body(context) }
}
