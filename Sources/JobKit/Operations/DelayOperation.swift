/// Waits without work. Blocks no thread; where there is a journal the wait survives a restart.
public struct DelayOperation: AOperation {
    /// The end of the delay.
    public enum Until: Sendable, Hashable {
        /// This long after its execution began; immediately when it is not above zero.
        case after(Duration)
        /// This long after the root of its tree was submitted.
        case afterSubmission(Duration)
        /// This date; immediately when it is past.
        case date(Timestamp)
    }

    /// The display name.
    public let name: String
    private let until: Until

    /// Waits.
    public init(_ until: Until, name: String = "Delay") {
        self.until = until
        self.name = name
    }

    /// Waits when `source` has succeeded, and passes its value on. When `source` does not succeed this one ends as it
    /// did: skipped or cancelled, with the reason.
    public static func passing<Value: Sendable>(
        _ source: OperationHandle<Value>, _ until: Until, name: String = "Delay"
    ) -> OperationRecipe<Value> {
        let delay = DelayOperation(until, name: name)
        var recipe = OperationRecipe<Value>(name) { context in
            try await delay.execute(in: context)
            return try await source.value
        }.after(source)
        recipe.lull = { delay.end(in: $0) }
        return recipe
    }

    /// The delay as an operation, which needs no task while it waits.
    public var recipe: OperationRecipe<Void> {
        var recipe = OperationRecipe<Void>(name) { context in try await self.execute(in: context) }
        recipe.lull = { self.end(in: $0) }
        return recipe
    }

    /// Waits on the environment's clock.
    /// - Throws: `CancellationError` when it is stopped.
    public func execute(in context: OperationContext) async throws {
        if context.hasWaited { return }
        try await context.core.wait(until: end(in: context), reason: .delay)
    }

    private func end(in context: OperationContext) -> WaitEnd {
        let (core, clock) = (context.core, context.clock)
        return switch until {
        case .after(let duration) where core.begunAt == nil && context.attempt == 1:
            clock.end(after: duration)
        case .after(let duration): clock.end(of: duration, since: context.startedAt)
        case .afterSubmission(let duration): core.end(afterSubmission: duration)
        case .date(let date): WaitEnd(date)
        }
    }
}
