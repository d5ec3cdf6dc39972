internal import Synchronization

/// Steps that run one after the other and share a value. Each step ends by calling `finish`; the final value is the
/// output.
///
/// ```swift
/// StepsOperation("import", sharing: Draft())
///     .step("read") { step in
///         read { lines in
///             step.update { $0.lines = lines }
///             step.finish()
///         }
///     }
///     .step("tidy up", runs: .always) { step in … ; step.finish() }
/// ```
///
/// After a failure or a cancellation, later steps are skipped, except those that always run.
public struct StepsOperation<Value: Sendable>: AOperation {
    /// When a step runs.
    public enum Runs: Sendable, Hashable {
        /// When all earlier steps succeeded and the operation is not cancelled.
        case normally
        /// In any case: to clean up.
        case always
    }

    private struct Step: Sendable {
        let name: String
        let runs: Runs
        let body: @Sendable (StepControl<Value>) -> Void
    }

    /// The display name.
    public let name: String
    private let value: Value
    private var steps: [Step] = []

    /// An operation without steps, which outputs `value`.
    public init(_ name: String = "Steps", sharing value: Value) {
        self.name = name
        self.value = value
    }

    /// Appends a step.
    public func step(
        _ name: String, runs: Runs = .normally, body: @escaping @Sendable (StepControl<Value>) -> Void
    ) -> StepsOperation {
        var copy = self
        copy.steps.append(Step(name: name, runs: runs, body: body))
        return copy
    }

    /// Runs the steps.
    /// - Throws: the error of a step.
    public func execute(in context: OperationContext) async throws -> Value {
        let shared = SharedValue(value)
        var failure: (any Error)?
        for step in steps {
            if step.runs == .normally, failure != nil || Task.isCancelled || shared.isStopping { continue }
            do {
                try await OperationCompletion<Void>.run { completion in
                    step.body(
                        StepControl(
                            name: step.name, context: context, shared: shared, completion: completion))
                }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        if Task.isCancelled { throw CancellationError() }
        if shared.isStopping {
            let error = AOperationError(.cancelledUser, detail: "\(name) was cancelled by one of its steps.")
            throw OperationSkip(errors: [context.core.stamp(error)], state: .cancelled)
        }
        return shared.value
    }
}

/// The context of a step of a `StepsOperation`.
public struct StepControl<Value: Sendable>: Sendable {
    /// The step's name.
    public let name: String
    /// The operation that the step belongs to.
    public let context: OperationContext
    fileprivate let shared: SharedValue<Value>
    fileprivate let completion: OperationCompletion<Void>

    /// The value that the steps share.
    public var value: Value { shared.value }

    /// Changes the shared value; a change after the end of the step is still visible to later steps.
    public func update(_ change: (inout Value) -> Void) { shared.update(change) }

    /// The step is done. The first call counts.
    @discardableResult
    public func finish() -> Bool { completion.finish() }

    /// The step failed, and the operation with it.
    @discardableResult
    public func finish(throwing error: any Error) -> Bool { completion.finish(throwing: error) }

    /// The step is done, and the operation ends as cancelled: later steps are left out, except those that always run.
    public func cancelOperation() {
        shared.stop()
        completion.finish()
    }

    /// Whether the operation is cancelled.
    public var isCancelled: Bool { completion.isCancelled || shared.isStopping }

    /// Calls `handler` when the operation is cancelled while the step runs. The step must still be finished then.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) { completion.onCancel(handler) }
}

private final class SharedValue<Value: Sendable>: Sendable {
    private let content: Mutex<(value: Value, isStopping: Bool)>

    init(_ value: Value) { content = Mutex((value, false)) }

    var value: Value { content.withLock { $0.value } }
    var isStopping: Bool { content.withLock { $0.isStopping } }
    func update(_ change: (inout Value) -> Void) { content.withLock { change(&$0.value) } }
    func stop() { content.withLock { $0.isStopping = true } }
}
