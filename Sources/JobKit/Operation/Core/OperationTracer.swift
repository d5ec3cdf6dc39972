/// Surrounds the attempts of operations, so that they are part of a trace.
///
/// A trace has its context in a task-local value. A tracer carries that from the task that adds an operation to the one
/// that executes it. From there it reaches the operations that are added inside, and the transport of calls.
public protocol OperationTracer: Sendable {
    /// Runs one attempt, for example within a span. Must call `attempt` once and throw its error.
    typealias Surrounding =
        @Sendable (_ context: OperationContext, _ attempt: () async throws -> Void) async throws -> Void

    /// The function that surrounds each attempt of an operation. Called when the operation is added, on the task that
    /// adds it; must not block.
    /// - Parameter operation: the display name.
    func surrounding(_ operation: String) -> Surrounding
}
