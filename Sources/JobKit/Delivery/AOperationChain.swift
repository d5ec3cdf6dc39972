/// Operations of which each needs the value of the one before, described from top to bottom.
///
/// ```swift
/// let profile = FetchToken(password: "…")
///     .then(FetchProfile())
///     .then("greeting") { profile, _ in "Hello, \(profile.name)" }
///     .finally("log out") { outcome, _ in await session.end(outcome) }
///     .add(to: queue)
/// ```
///
/// A failure skips what comes behind it, a cancellation cancels it; `finally` runs in any case and then ends as what
/// it comes after did. `operation(_:)` makes one operation of the whole, which is stopped as one.
public struct AOperationChain<Output: Sendable>: Sendable {
    let attach: @Sendable (any AOperationTarget) -> AOperationHandle<Output>

    /// The same, and then `next` with what came out.
    public func then<Next: AReceivingOperation>(
        _ next: Next
    ) -> AOperationChain<Next.Output> where Next.Input == Output {
        AOperationChain<Next.Output> { target in target.add(next.receiving(attach(target))) }
    }

    /// The same, and then `body` with what came out.
    public func then<Next: Sendable>(
        _ name: String = "Then",
        body: @escaping @Sendable (Output, AOperationContext) async throws -> Next
    ) -> AOperationChain<Next> {
        AOperationChain<Next> { target in
            let source = attach(target)
            return target.add(
                BlockOperation(name) { context in try await body(source.value, context) }.after(source))
        }
    }

    /// The same, and then `body` with the outcome of it all, whatever that is, also when everything is being stopped.
    /// The chain ends as it would without; an error of `body` comes last.
    public func finally(
        _ name: String = "Finally",
        body: @escaping @Sendable (OperationOutcome<Output>, AOperationContext) async throws -> Void
    ) -> AOperationChain<Output> {
        AOperationChain { target in
            let source = attach(target)
            var recipe = BlockOperation(name) { context -> Output in
                let outcome = await source.outcome
                do { try await body(outcome, context) } catch {
                    guard case .failed(let errors) = outcome else { throw error }
                    let own = AOperationError(thrown: error, by: name)
                    throw OperationErrors(list: errors + [context.core.stamp(own)])
                }
                return try outcome.passedOn()
            }.after(source, on: .finished)
            recipe.settings.isFinal = true
            return target.add(recipe)
        }
    }

    /// Adds all of it, and returns the handle of the last operation.
    @discardableResult
    public func add(to target: some AOperationTarget) -> AOperationHandle<Output> { attach(target) }

    /// All of it as one operation, with conditions, limits and a cancellation of its own.
    public func operation(_ name: String = "Chain") -> AOperationRecipe<Output> {
        var recipe = AOperationRecipe(name: name) { context -> Output in
            let scope = context.core.openScope(GroupRules())
            let last = attach(scope)
            let errors = await withTaskCancellationHandler {
                await scope.allFinished()
            } onCancel: {
                scope.cancelMembers()
            }
            if context.core.isStopRequested { throw CancellationError() }
            if !errors.isEmpty, last.ending?.state != .succeeded { throw OperationErrors(list: errors) }
            return try await last.outcome.passedOn()
        }
        recipe.settings.grace = nil
        return recipe
    }
}

extension AOperationConvertible {
    /// This operation as the beginning of a chain.
    public var chain: AOperationChain<Output> { AOperationChain { $0.add(self) } }

    /// This operation, and then `next` with what it produced.
    public func then<Next: AReceivingOperation>(
        _ next: Next
    ) -> AOperationChain<Next.Output> where Next.Input == Output {
        chain.then(next)
    }

    /// This operation, and then `body` with what it produced.
    public func then<Next: Sendable>(
        _ name: String = "Then",
        body: @escaping @Sendable (Output, AOperationContext) async throws -> Next
    ) -> AOperationChain<Next> {
        chain.then(name, body: body)
    }
}
