internal import Synchronization

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
public struct OperationChain<Output: Sendable>: Sendable {
    private let last: ChainLink

    private init(_ last: ChainLink) { self.last = last }

    init(_ first: some OperationConvertible<Output>) {
        self.init(ChainLink(after: nil) { target, _ in target.add(first) })
    }

    /// Appends an operation.
    /// - Parameter add: adds it to a target, given the handle of the chain so far.
    private func appending<Next: Sendable>(
        _ add: @escaping @Sendable (any OperationTarget, OperationHandle<Output>) -> OperationHandle<Next>
    ) -> OperationChain<Next> {
        OperationChain<Next>(
            ChainLink(after: last) { target, source in
                (source as? OperationHandle<Output>).map { add(target, $0) }
            })
    }

    /// Appends `next`, which receives the chain's value.
    public func then<Next: ReceivingOperation>(
        _ next: Next
    ) -> OperationChain<Next.Output> where Next.Input == Output {
        appending { target, source in target.add(next.receiving(source)) }
    }

    /// Appends `body`, which receives the chain's value.
    public func then<Next: Sendable>(
        _ name: String = "Then",
        body: @escaping @Sendable (Output, OperationContext) async throws -> Next
    ) -> OperationChain<Next> {
        appending { target, source in
            target.add(
                ClosureOperation(name) { context in try await body(source.value, context) }.after(source))
        }
    }

    /// Appends `body`, which receives the outcome of the chain, whatever it is, also after a cancellation. The chain
    /// ends as it would without; an error of `body` comes last.
    public func finally(
        _ name: String = "Finally",
        body: @escaping @Sendable (OperationOutcome<Output>, OperationContext) async throws -> Void
    ) -> OperationChain<Output> {
        appending { target, source in
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
    public func add(to target: some OperationTarget) -> OperationHandle<Output> { attach(target) }

    private func attach(_ target: any OperationTarget) -> OperationHandle<Output> {
        var handle: (any Sendable)?
        for link in last.fromFirst { handle = link.add(target, handle) }
        guard let handle = handle as? OperationHandle<Output> else {
            preconditionFailure("Each link of a chain makes what the next one receives")
        }
        return handle
    }

    /// The chain as one operation, with its own conditions, limits and cancellation.
    /// - Parameters:
    ///   - name: the display name.
    ///   - resumes: whether a further attempt begins at the first link that did not succeed, with the values of those
    ///     that did. Default false: it begins anew.
    public func operation(_ name: String = "Chain", resumes: Bool = false) -> OperationRecipe<Output> {
        var recipe = OperationRecipe(name) { context -> Output in
            let earlier = resumes ? context.core.scope?.links ?? [] : []
            let scope = context.core.openScope(GroupRules())
            let last = attach(resumes ? ResumingTarget(scope, after: earlier) : scope)
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

/// One operation of a chain, and those before it. Long chains are made, added and released without recursion.
private final class ChainLink: Sendable {
    private let before: Mutex<ChainLink?>
    let add: @Sendable (any OperationTarget, (any Sendable)?) -> (any Sendable)?

    init(
        after before: ChainLink?,
        add: @escaping @Sendable (any OperationTarget, (any Sendable)?) -> (any Sendable)?
    ) {
        self.before = Mutex(before)
        self.add = add
    }

    deinit {
        var next = before.withLock { $0.take() }
        while isKnownUniquelyReferenced(&next) {
            let following = next?.before.withLock { $0.take() }
            next = following
        }
    }

    /// All links, the first one first.
    var fromFirst: [ChainLink] {
        var links = [self]
        while let link = links.last?.before.withLock({ $0 }) { links.append(link) }
        return links.reversed()
    }
}

extension OperationConvertible {
    /// This operation as the beginning of a chain.
    public var chain: OperationChain<Output> { OperationChain(self) }

    /// A chain of this operation and `next`, which receives its value.
    public func then<Next: ReceivingOperation>(
        _ next: Next
    ) -> OperationChain<Next.Output> where Next.Input == Output {
        chain.then(next)
    }

    /// A chain of this operation and `body`, which receives its value.
    public func then<Next: Sendable>(
        _ name: String = "Then",
        body: @escaping @Sendable (Output, OperationContext) async throws -> Next
    ) -> OperationChain<Next> {
        chain.then(name, body: body)
    }
}
