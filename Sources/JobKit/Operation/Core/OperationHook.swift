/// A callback that an operation waits for before its execution, or before its end is announced. Limited in time: one
/// that throws or times out is recorded, and the operation goes on.
struct OperationHook: Sendable {
    enum Body: Sendable {
        case willExecute(@Sendable (OperationInfo) async throws -> HookDecision)
        case willFinish(@Sendable (OperationInfo, OperationEnding) async throws -> Void)
    }

    let limit: Duration
    let body: Body
}

/// The decision of a hook before the execution.
public enum HookDecision: Sendable, Hashable {
    /// The operation may be executed.
    case proceed
    /// The operation is cancelled and not executed.
    case cancel(reason: String?)
}

extension OperationConvertible {
    /// Waits for `body` before the execution, with slot and keys already taken. It may cancel the operation.
    /// - Parameters:
    ///   - limit: the time for the hook; default 5 s. Then the operation is executed.
    ///   - body: the hook.
    public func willExecute(
        limit: Duration = .seconds(5),
        _ body: @escaping @Sendable (OperationInfo) async throws -> HookDecision
    ) -> OperationRecipe<Output> {
        var copy = recipe
        copy.settings.hooks.append(OperationHook(limit: limit, body: .willExecute(body)))
        return copy
    }

    /// Waits for `body` when the outcome is decided, before the end becomes visible. The outcome is final; a
    /// cancellation here has no effect.
    /// - Parameters:
    ///   - limit: the time for the hook; default 5 s. Then the operation ends.
    ///   - body: the hook.
    public func willFinish(
        limit: Duration = .seconds(5),
        _ body: @escaping @Sendable (OperationInfo, OperationEnding) async throws -> Void
    ) -> OperationRecipe<Output> {
        var copy = recipe
        copy.settings.hooks.append(OperationHook(limit: limit, body: .willFinish(body)))
        return copy
    }
}
