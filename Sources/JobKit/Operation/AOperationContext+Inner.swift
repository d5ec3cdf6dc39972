internal import Synchronization

extension AOperationContext {
    /// Runs an operation inside of this one and returns what it produced. Its path is below this one's, and it is
    /// stopped with it.
    ///
    /// This is no way around the queue's capacity: the outer operation keeps its slot while it waits.
    /// - Throws: what ends this operation as the inner one ended, with the inner one's errors as they arose.
    public func run<Output>(_ operation: some AOperationConvertible<Output>) async throws -> Output {
        try await outcome(of: operation).passedOn()
    }

    /// Runs an operation inside of this one and returns how it ended, whatever that is.
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
            handle.core.cancel(code: .cancelledParent, reason: "what it stands in is being stopped")
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
