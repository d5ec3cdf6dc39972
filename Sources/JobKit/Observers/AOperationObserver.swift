/// Told what happens to an operation, one event after the other, in order. What it does never changes the operation's
/// outcome.
public protocol AOperationObserver: Sendable {
    /// Something happened. Called one at a time per operation; must not block.
    func operation(_ operation: AOperationInfo, did event: AOperationEvent)
}

/// Which operation an event is about.
public struct AOperationInfo: Sendable {
    /// What it is called.
    public let name: String
    /// The names from below the root down to it.
    public let path: [String]
}

/// One thing that happened to an operation.
public struct AOperationEvent: Sendable {
    /// Its place among the events of the operation, from 1.
    public let sequence: Int
    /// When.
    public let at: Timestamp
    /// What.
    public let kind: Kind

    /// What can happen. Only `finished` is an end, and it comes once.
    public enum Kind: Sendable {
        /// It was added to a queue.
        case submitted
        /// Its execution begins. Absent when it is never executed.
        case started
        /// An attempt failed and another will follow.
        case attemptFailed(number: Int, error: AOperationError, retryAfter: Duration)
        /// It was asked to stop.
        case cancelRequested(reason: String?)
        /// It is over.
        case finished(OperationEnding)
    }
}

/// A closure as an observer.
public struct ClosureObserver: AOperationObserver {
    private let body: @Sendable (AOperationInfo, AOperationEvent) -> Void

    /// Calls `body` for every event.
    public init(_ body: @escaping @Sendable (AOperationInfo, AOperationEvent) -> Void) { self.body = body }

    /// Calls the closure.
    public func operation(_ operation: AOperationInfo, did event: AOperationEvent) { body(operation, event) }
}
