internal import Synchronization

extension AOperationContext {
    /// Runs an operation inside this one and returns its output. Its path is below this one's, and it is stopped with
    /// it.
    ///
    /// This does not bypass the queue's capacity: the outer operation keeps its slot while it waits.
    /// - Throws: an error that ends this operation like the inner one, with the inner one's errors unchanged.
    public func run<Output>(_ operation: some AOperationConvertible<Output>) async throws -> Output {
        try await outcome(of: operation).passedOn()
    }

    /// Runs an operation inside this one and returns its outcome, successful or not.
    /// - Throws: only when this operation is stopped.
    public func outcome<Output>(
        of operation: some AOperationConvertible<Output>
    ) async throws(CancellationError) -> OperationOutcome<Output> {
        let queue = QueueCore(capacity: nil, environment: core.environment, parent: core)
        var recipe = operation.recipe
        recipe.step = recipe.step ?? core.parts.withLock { $0.notes.innerStep(recipe.name, attempt: attempt) }
        let handle = queue.add(recipe)
        let outcome = await withTaskCancellationHandler {
            await handle.outcome
        } onCancel: {
            handle.core.cancel(code: .cancelledParent, reason: "the enclosing operation is being stopped")
        }
        if Task.isCancelled || core.mustUnwind { throw CancellationError() }
        return outcome
    }

    /// Adds an operation that lives beside this one: to the group that this one is a member of, or else to its queue.
    @discardableResult
    public func produce<Output>(
        _ operation: some AOperationConvertible<Output>
    ) -> AOperationHandle<Output> {
        var recipe = operation.recipe
        recipe.settings.producer = core
        return core.queue.produce(recipe)
    }
}
