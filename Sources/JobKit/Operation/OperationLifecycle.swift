/// The stations of one operation.
public enum OperationState: String, Sendable, Hashable, CaseIterable {
    /// Described, on no queue yet.
    case initialized
    /// On a queue, waits for what it depends on.
    case pending
    /// Its conditions are being evaluated.
    case evaluatingConditions = "evaluating_conditions"
    /// May be executed, waits for exclusive keys or capacity.
    case ready
    /// Is being executed.
    case executing
    /// The outcome is decided and being made known.
    case finishing
    /// Over; the outcome is readable.
    case finished
}

/// The rules by which an operation moves from station to station. The first event that ends it wins, once.
struct OperationLifecycle: Sendable {
    enum Event: CaseIterable {
        /// It was added to a queue.
        case enqueue
        /// Everything it depends on is finished and lets it run.
        case evaluate
        /// All conditions hold.
        case makeReady
        /// Keys and capacity are there.
        case execute
        /// Its outcome is decided.
        case end
        /// Its outcome is known everywhere.
        case finish
        /// Its run is suspended: it goes no further in this run.
        case suspend
        /// It leaves memory without an outcome, because its run is suspended.
        case unload
    }

    private(set) var state = OperationState.initialized
    /// Whether its run was suspended before it was over.
    private(set) var isSuspended = false
    /// Whether its outcome is decided, or left to a later run.
    var isSettled: Bool { isSuspended || state == .finishing || state == .finished }

    /// Applies an event; false when it is not allowed here, and nothing changes then.
    mutating func apply(_ event: Event) -> Bool {
        switch event {
        case .suspend:
            if isSuspended || state == .finished { return false }
            isSuspended = true
            return true
        case .unload:
            guard isSuspended, let next = Self.next(state, .end) else { return false }
            state = next
            return true
        default:
            if isSuspended && event != .finish { return false }
            guard let next = Self.next(state, event) else { return false }
            state = next
            return true
        }
    }

    private static func next(_ state: OperationState, _ event: Event) -> OperationState? {
        switch (state, event) {
        case (.initialized, .enqueue): .pending
        case (.pending, .evaluate): .evaluatingConditions
        case (.evaluatingConditions, .makeReady): .ready
        case (.ready, .execute): .executing
        case (.initialized, .end), (.pending, .end), (.evaluatingConditions, .end), (.ready, .end),
            (.executing, .end):
            .finishing
        case (.finishing, .finish): .finished
        default: nil
        }
    }
}
