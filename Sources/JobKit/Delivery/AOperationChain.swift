/// Operations that each need the value of the previous one, described from top to bottom.
///
/// ```swift
/// let profile = FetchToken(password: "…")
///     .then(FetchProfile())
///     .then("greeting") { profile, _ in "Hello, \(profile.name)" }
///     .finally("log out") { outcome, _ in await session.end(outcome) }
///     .add(to: queue)
/// ```
///
/// A failure skips the following operations, a cancellation cancels them; `finally` runs in any case and then ends like
/// the operation before it. `operation(_:)` turns the whole chain into one operation, which is cancelled as one.
public struct AOperationChain<Output: Sendable>: Sendable {
    let attach: @Sendable (any AOperationTarget) -> AOperationHandle<Output>

    /// Appends `next`, which receives the chain's value.
    public func then<Next: AReceivingOperation>(
        _ next: Next
    ) -> AOperationChain<Next.Output> where Next.Input == Output {
        AOperationChain<Next.Output> { target in target.add(next.receiving(attach(target))) }
    }

    /// Appends `body`, which receives the chain's value.
    public func then<Next: Sendable>(
        _ name: String = "Then",
        body: @escaping @Sendable (Output, AOperationContext) async throws -> Next
    ) -> AOperationChain<Next> {
        AOperationChain<Next> { target in
            let source = attach(target)
            return target.add(
                ClosureOperation(name) { context in try await body(source.value, context) }.after(source))
        }
    }

    /// Appends `body`, which receives the outcome of the chain, whatever it is, also after a cancellation. The chain
    /// ends as it would without; an error of `body` comes last.
    public func finally(
        _ name: String = "Finally",
        body: @escaping @Sendable (OperationOutcome<Output>, AOperationContext) async throws -> Void
    ) -> AOperationChain<Output> {
        AOperationChain { target in
            let source = attach(target)
            var recipe = ClosureOperation(name) { context -> Output in
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

    /// Adds all operations, and returns the handle of the last one.
    @discardableResult
    public func add(to target: some AOperationTarget) -> AOperationHandle<Output> { attach(target) }

    /// The chain as one operation, with its own conditions, limits and cancellation.
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

    /// A chain of this operation and `next`, which receives its value.
    public func then<Next: AReceivingOperation>(
        _ next: Next
    ) -> AOperationChain<Next.Output> where Next.Input == Output {
        chain.then(next)
    }

    /// A chain of this operation and `body`, which receives its value.
    public func then<Next: Sendable>(
        _ name: String = "Then",
        body: @escaping @Sendable (Output, AOperationContext) async throws -> Next
    ) -> AOperationChain<Next> {
        chain.then(name, body: body)
    }
}
