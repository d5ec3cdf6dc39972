/// A closure as a condition. One that throws could not be evaluated: the operation fails with `condition.broken` and
/// the thrown error as the cause.
public struct ClosureCondition: OperationCondition {
    /// The effect on the operation when the condition does not hold.
    public enum Refusal: Sendable, Hashable {
        /// The operation fails with `condition.unsatisfied`.
        case fail
        /// The operation is skipped with `condition.unsatisfied` as the reason.
        case skip
    }

    /// The name in errors.
    public let name: String
    private let body: @Sendable (ConditionContext) async throws -> ConditionVerdict

    /// Creates a condition with the verdict of `body`.
    public init(
        _ name: String, body: @escaping @Sendable (ConditionContext) async throws -> ConditionVerdict
    ) {
        self.name = name
        self.body = body
    }

    /// Creates a yes-or-no condition.
    /// - Parameters:
    ///   - name: the name in errors.
    ///   - otherwise: the effect of false; default a failure.
    ///   - holds: whether the condition holds.
    public init(
        _ name: String, otherwise: Refusal = .fail,
        holds: @escaping @Sendable (ConditionContext) async throws -> Bool
    ) {
        self.init(name) { context in
            if try await holds(context) { return .satisfied }
            let error = AOperationError(
                .conditionUnsatisfied, detail: "\(name) does not hold.", stage: .condition)
            return otherwise == .fail ? .failed(error) : .ignored(error)
        }
    }

    /// Calls the closure.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        do {
            return try await body(context)
        } catch {
            return .failed(.brokenCondition("\(name) could not be evaluated:", because: error))
        }
    }
}

extension AOperationError {
    /// The error of a condition that could not be evaluated because of `error`.
    static func brokenCondition(_ detail: String, because error: any Error) -> AOperationError {
        AOperationError(.conditionBroken, detail: detail, because: error, stage: .condition)
    }
}
