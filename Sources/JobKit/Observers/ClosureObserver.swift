/// A closure as an observer.
public struct ClosureObserver: OperationObserver {
    private let body: @Sendable (OperationInfo, OperationEvent) -> Void

    /// Calls `body` for every event.
    public init(_ body: @escaping @Sendable (OperationInfo, OperationEvent) -> Void) { self.body = body }

    /// Calls the closure.
    public func operation(_ operation: OperationInfo, did event: OperationEvent) { body(operation, event) }
}

/// Closures for single events. Each is one more observer: none replaces another.
extension OperationConvertible {
    /// Calls `body` when it was added to a queue.
    public func onSubmit(_ body: @escaping @Sendable (OperationInfo) -> Void) -> OperationRecipe<Output> {
        on { if case .submitted = $1.kind { body($0) } }
    }

    /// Calls `body` each time it begins to wait for something.
    public func onWait(
        _ body: @escaping @Sendable (OperationInfo, OperationEvent.Obstacle) -> Void
    ) -> OperationRecipe<Output> {
        on { if case .waiting(let obstacle) = $1.kind { body($0, obstacle) } }
    }

    /// Calls `body` when everything it depends on is finished and lets it run.
    public func onInput(_ body: @escaping @Sendable (OperationInfo) -> Void) -> OperationRecipe<Output> {
        on { if case .inputReady = $1.kind { body($0) } }
    }

    /// Calls `body` when its execution begins.
    public func onStart(_ body: @escaping @Sendable (OperationInfo) -> Void) -> OperationRecipe<Output> {
        on { if case .started = $1.kind { body($0) } }
    }

    /// Calls `body` when the operation reports progress.
    public func onProgress(
        _ body: @escaping @Sendable (OperationInfo, OperationProgress) -> Void
    ) -> OperationRecipe<Output> {
        on { if case .progress(let progress) = $1.kind { body($0, progress) } }
    }

    /// Calls `body` with each operation created by this one.
    public func onProduce(
        _ body: @escaping @Sendable (OperationInfo, _ child: OperationInfo) -> Void
    ) -> OperationRecipe<Output> {
        on { if case .produced(let child) = $1.kind { body($0, child) } }
    }

    /// Calls `body` after each failed attempt that will be followed by another.
    public func onAttemptFailed(
        _ body: @escaping @Sendable (OperationInfo, _ number: Int, AOperationError) -> Void
    ) -> OperationRecipe<Output> {
        on { if case .attemptFailed(let number, let error, _) = $1.kind { body($0, number, error) } }
    }

    /// Calls `body` when a cancellation was requested. This is not the end: `onFinish` follows.
    public func onCancelRequest(
        _ body: @escaping @Sendable (OperationInfo, _ reason: String?) -> Void
    ) -> OperationRecipe<Output> {
        on { if case .cancelRequested(let reason) = $1.kind { body($0, reason) } }
    }

    /// Calls `body` when it is over.
    public func onFinish(
        _ body: @escaping @Sendable (OperationInfo, OperationEnding) -> Void
    ) -> OperationRecipe<Output> {
        on { if case .finished(let ending) = $1.kind { body($0, ending) } }
    }

    private func on(
        _ body: @escaping @Sendable (OperationInfo, OperationEvent) -> Void
    ) -> OperationRecipe<Output> {
        observer(ClosureObserver(body))
    }
}
