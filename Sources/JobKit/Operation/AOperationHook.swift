/// Something that must happen before an operation is executed, or before its end is made known, and that the
/// operation waits for. It is bounded in time and cannot hold the operation up: one that throws or takes too long is
/// recorded, and the operation goes on.
struct AOperationHook: Sendable {
    enum Body: Sendable {
        case willExecute(@Sendable (AOperationInfo) async throws -> AHookDecision)
        case willFinish(@Sendable (AOperationInfo, OperationEnding) async throws -> Void)
    }

    let limit: Duration
    let body: Body
}

/// The decision of a hook before the execution.
public enum AHookDecision: Sendable, Hashable {
    /// It may be executed.
    case proceed
    /// It is cancelled and not executed.
    case cancel(reason: String?)
}

extension AOperationConvertible {
    /// Waits for `body` before it is executed, with its place and keys in hand. It may cancel the operation.
    /// - Parameter limit: how long it may take; default 5 s. Then the operation is executed.
    public func willExecute(
        limit: Duration = .seconds(5),
        _ body: @escaping @Sendable (AOperationInfo) async throws -> AHookDecision
    ) -> AOperationRecipe<Output> {
        var copy = recipe
        copy.settings.hooks.append(AOperationHook(limit: limit, body: .willExecute(body)))
        return copy
    }

    /// Waits for `body` when the outcome is decided, before anybody sees that it is over. The outcome stays as it is;
    /// to ask for a stop here changes nothing.
    /// - Parameter limit: how long it may take; default 5 s. Then the operation ends.
    public func willFinish(
        limit: Duration = .seconds(5),
        _ body: @escaping @Sendable (AOperationInfo, OperationEnding) async throws -> Void
    ) -> AOperationRecipe<Output> {
        var copy = recipe
        copy.settings.hooks.append(AOperationHook(limit: limit, body: .willFinish(body)))
        return copy
    }
}
