/// What a condition may see.
public struct AConditionContext: Sendable {
    /// The operation that wants to be executed.
    public let operation: String
    /// What the operation depends on, and how it ended.
    public let dependencies: [Dependency]
    /// The world.
    public let environment: AOperationEnvironment
    /// Whether it is only to look: nothing may be brought about, nobody asked, nothing waited for.
    public internal(set) var isSilent = false
    /// The names from the root down to the operation.
    let publisherPath: [String]
    /// The operation itself; nil when the condition is asked outside of one.
    let core: OperationCore?
    /// Whether a condition is asking, and not the operation itself.
    var isInside = false

    /// One operation that came before.
    public struct Dependency: Sendable {
        /// What it is called.
        public let name: String
        /// How it ended.
        public let ending: OperationEnding
    }

    /// The answer of `condition`. Conditions that have others inside ask them with this, so that each brings its own
    /// circumstances along.
    public func verdict(of condition: any AOperationCondition) async -> AConditionVerdict {
        var inner = self
        inner.isInside = true
        return switch await condition.evaluate(in: inner) {
        case .satisfied: .satisfied
        case .failed(let error): .failed(marked(error, by: condition))
        case .ignored(let error): .ignored(marked(error, by: condition))
        }
    }

    /// Fills in what the error does not say yet about its origin.
    private func marked(_ error: AOperationError, by condition: any AOperationCondition) -> AOperationError {
        var error = error
        error.state = .condition
        if error.publisher == nil { error.publisher = condition.name }
        if error.path.isEmpty { error.path = publisherPath }
        if error.at == nil { error.at = environment.clock.now }
        return error
    }
}
