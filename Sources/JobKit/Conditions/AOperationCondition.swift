/// Something that must hold before an operation is executed. Asked once everything the operation depends on is
/// finished; all conditions of an operation are asked, at the same time, and every failure is reported.
public protocol AOperationCondition: Sendable {
    /// What it is called in errors.
    var name: String { get }

    /// Keys that nobody else may hold while the operation is executed. Default none.
    var exclusionKeys: [String] { get }

    /// Whether it holds. Cancelling the task ends the question early; the answer is then discarded.
    func evaluate(in context: AConditionContext) async -> AConditionVerdict
}

extension AOperationCondition {
    /// The name of the type.
    public var name: String { String(describing: Self.self) }
    /// None.
    public var exclusionKeys: [String] { [] }
}

/// What a condition may see.
public struct AConditionContext: Sendable {
    /// The operation that wants to be executed.
    public let operation: String
    /// What the operation depends on, and how it ended.
    public let dependencies: [Dependency]
    /// The world.
    public let environment: AOperationEnvironment

    /// One operation that came before.
    public struct Dependency: Sendable {
        /// What it is called.
        public let name: String
        /// How it ended.
        public let ending: OperationEnding
    }
}

/// What a condition answers.
public enum AConditionVerdict: Sendable {
    /// It holds.
    case satisfied
    /// It does not hold: the operation fails with this error, `state: condition`.
    case failed(AOperationError)
    /// It does not hold, and that is no failure: the operation is skipped.
    case ignored(AOperationError)
}
