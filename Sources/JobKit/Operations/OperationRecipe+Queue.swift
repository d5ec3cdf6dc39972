extension OperationConvertible {
    private func changed(_ change: (inout OperationRecipe<Output>) -> Void) -> OperationRecipe<Output> {
        var copy = recipe
        change(&copy)
        return copy
    }

    /// The only unfinished operation with this key, in the environment of its queue. The key is claimed on addition,
    /// kept during retries, and free again when the operation ends.
    /// - Parameters:
    ///   - key: the key, any text.
    ///   - onConflict: the effect of a key that is taken.
    public func unique(_ key: String, onConflict: UniqueConflict = .reject) -> OperationRecipe<Output> {
        changed { $0.settings.unique = UniqueKey(key: key, onConflict: onConflict) }
    }

    /// Not begun before the `release()` of its handle.
    public func held() -> OperationRecipe<Output> { changed { $0.settings.isHeld = true } }

    /// Executed only when `isOpen` returns true; otherwise skipped.
    public func gated(by isOpen: @escaping @Sendable () async throws -> Bool) -> OperationRecipe<Output> {
        GatedOperation(self, isOpen: isOpen).recipe
    }

    /// Cancelling it cancels its dependencies, too, unless another operation waits for them.
    public func cancellingUpstream() -> OperationRecipe<Output> {
        changed { $0.settings.cancelsUpstream = true }
    }

    /// Runs after `other` succeeded or failed; skipped with it when it was cancelled or skipped.
    public func following<Other>(_ other: OperationHandle<Other>) -> OperationRecipe<Output> {
        changed { $0.settings.edges.append(.init(core: other.core, requirement: .undisturbed)) }
    }

    /// Adds it, and returns its handle: the last line of a description that reads from top to bottom.
    @discardableResult
    public func add(to target: some OperationTarget) -> OperationHandle<Output> { target.add(self) }
}

/// A target for new operations: a queue, or the members of a group.
public protocol OperationTarget: Sendable {
    /// Adds an operation; it begins by itself.
    @discardableResult
    func add<Output>(_ operation: some OperationConvertible<Output>) -> OperationHandle<Output>
}

extension OperationTarget {
    /// Cannot be called: an operation that needs a value is added with the operation that has it.
    @available(
        *, unavailable,
        message:
            "it needs a value: add .receiving(handle) of the operation that has it, or .receiving(value: …)"
    )
    @discardableResult
    public func add<Operation: ReceivingOperation>(
        _ operation: Operation
    ) -> OperationHandle<Operation.Output> {
        add(
            ClosureOperation(operation.name) { _ in
                throw AOperationError(
                    .referenceMissing, detail: "\(operation.name) was given no value.")
            })
    }
}

extension AOperationQueue: OperationTarget {}
extension GroupScope: OperationTarget {}

extension OperationHandle {
    /// Prevents the execution until `release()`. False when it is executed or over already.
    @discardableResult
    public func hold() -> Bool { core.holdGate.hold() }

    /// Releases it. False when it was not held.
    @discardableResult
    public func release() -> Bool { core.holdGate.release() }

    /// An operation that runs after this one, whether it succeeded or failed, and is skipped when it was cancelled.
    public func followUp<Next: Sendable>(
        _ name: String = "FollowUp",
        body: @escaping @Sendable (OperationOutcome<Output>, OperationContext) async throws -> Next
    ) -> OperationRecipe<Next> {
        ClosureOperation(name) { context in try await body(self.outcome, context) }.following(self)
    }
}
