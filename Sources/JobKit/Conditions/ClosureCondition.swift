/// A closure as a condition. One that throws could not be evaluated: the operation fails with `condition.broken` and
/// what was thrown as the cause.
public struct ClosureCondition: AOperationCondition {
    /// What becomes of the operation when a yes-or-no question is answered with no.
    public enum Refusal: Sendable, Hashable {
        /// It fails with `condition.unsatisfied`.
        case fail
        /// It is skipped with `condition.unsatisfied` as the reason.
        case skip
    }

    /// What it is called.
    public let name: String
    private let body: @Sendable (AConditionContext) async throws -> AConditionVerdict

    /// Asks `body`.
    public init(
        _ name: String, body: @escaping @Sendable (AConditionContext) async throws -> AConditionVerdict
    ) {
        self.name = name
        self.body = body
    }

    /// Asks a question of yes or no.
    /// - Parameters:
    ///   - otherwise: what no means; default a failure.
    ///   - holds: whether the condition holds.
    public init(
        _ name: String, otherwise: Refusal = .fail,
        holds: @escaping @Sendable (AConditionContext) async throws -> Bool
    ) {
        self.init(name) { context in
            if try await holds(context) { return .satisfied }
            let error = AOperationError(
                .conditionUnsatisfied, detail: "\(name) does not hold.", state: .condition)
            return otherwise == .fail ? .failed(error) : .ignored(error)
        }
    }

    /// Asks the closure.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        do {
            return try await body(context)
        } catch {
            return .failed(.brokenCondition("\(name) could not be evaluated:", because: error))
        }
    }
}

extension AOperationError {
    /// A condition that could not be evaluated because of `error`.
    static func brokenCondition(_ detail: String, because error: any Error) -> AOperationError {
        AOperationError(.conditionBroken, detail: detail, because: error, state: .condition)
    }
}
