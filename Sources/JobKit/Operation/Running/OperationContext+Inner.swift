internal import Synchronization

extension OperationContext {
    /// Runs an operation inside this one and returns its output. Its path is below this one's, and it is stopped with
    /// it.
    ///
    /// This does not bypass the queue's capacity: the outer operation keeps its slot while it waits.
    /// - Throws: an error that ends this operation like the inner one, with the inner one's errors unchanged.
    public func run<Output>(_ operation: some OperationConvertible<Output>) async throws -> Output {
        try await outcome(of: operation).passedOn()
    }

    /// Runs an operation inside this one and returns its outcome, successful or not.
    /// - Throws: only when this operation is stopped.
    public func outcome<Output>(
        of operation: some OperationConvertible<Output>
    ) async throws(CancellationError) -> OperationOutcome<Output> {
        var recipe = operation.recipe
        recipe.step = recipe.step ?? core.parts.withLock { $0.notes.innerStep(recipe.name, attempt: attempt) }
        let outcome = await finished(recipe).outcome
        try checkStop()
        return outcome
    }

    /// Runs a recipe inside this operation, which passes a cancellation request on to it.
    /// - Returns: its handle, once it has ended.
    package func finished<Output>(_ recipe: OperationRecipe<Output>) async -> OperationHandle<Output> {
        let queue = QueueCore(capacity: nil, environment: core.environment, parent: core)
        let handle = queue.add(recipe)
        _ = await withTaskCancellationHandler {
            await handle.core.waitUntilFinished()
        } onCancel: {
            handle.core.cancel(code: .cancelledParent, reason: "the enclosing operation is being stopped")
        }
        return handle
    }

    /// - Throws: when this operation is being cancelled, or its run suspended.
    package func checkStop() throws(CancellationError) {
        if Task.isCancelled || core.mustUnwind { throw CancellationError() }
    }

    /// Adds an operation that lives beside this one: to the group that this one is a member of, or else to its queue.
    @discardableResult
    public func produce<Output>(
        _ operation: some OperationConvertible<Output>
    ) -> OperationHandle<Output> {
        var recipe = operation.recipe
        recipe.settings.producer = core
        return core.queue.produce(recipe)
    }
}
