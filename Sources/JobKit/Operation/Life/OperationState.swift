/// The states of an operation, in the order in which it passes them.
public enum OperationState: String, Sendable, Hashable, CaseIterable {
    /// Described, on no queue yet.
    case initialized
    /// On a queue, waits for its dependencies.
    case pending
    /// Its conditions are being evaluated.
    case evaluatingConditions = "evaluating_conditions"
    /// May be executed, waits for exclusive keys or capacity.
    case ready
    /// Is being executed.
    case executing
    /// The outcome is decided and being made known.
    case finishing
    /// Over; the outcome is readable.
    case finished
}
