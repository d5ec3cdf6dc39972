/// Runs another operation if what its gate (`when`) says holds. Otherwise both are skipped.
public struct GateSpec: Sendable, Hashable {
    /// What is run, at the path of the gate and its own name.
    public var operation: OperationSpec

    /// A gate around `operation`.
    public init(operation: OperationSpec) { self.operation = operation }
}
