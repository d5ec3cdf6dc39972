/// An event of an operation.
public struct OperationEvent: Sendable {
    /// The position among the events of the operation, from 1.
    public let sequence: Int
    /// The time of the event.
    public let at: Timestamp
    /// The event itself.
    public let kind: Kind

    /// The kinds of events, in the usual order. Only `finished` is final, and it comes once. New kinds may be added.
    public enum Kind: Sendable {
        /// The operation was added to a queue.
        case submitted
        /// The operation is blocked.
        case waiting(Obstacle)
        /// All dependencies have finished and let it run; its input is available.
        case inputReady
        /// It has its slot and its keys; the hooks that may prevent its execution run now.
        case willExecute
        /// Its execution begins. Absent when it is never executed.
        case started
        /// An attempt begins; the first is 1.
        case attemptStarted(number: Int)
        /// It reported progress.
        case progress(OperationProgress)
        /// It created another operation: a member of a group, or a prerequisite of a condition.
        case produced(OperationInfo)
        /// An attempt failed and another will follow.
        case attemptFailed(number: Int, error: AOperationError, retryAfter: Duration)
        /// Its cancellation was requested.
        case cancelRequested(reason: String?)
        /// Its outcome is decided; the hooks that may delay its end run now.
        case willFinish(OperationEnding)
        /// A hook threw or timed out. The operation goes on.
        case hookFailed(AOperationError)
        /// It has ended. Always the last event.
        case finished(OperationEnding)
    }

    /// The reason why an operation is blocked.
    public enum Obstacle: Sendable, Hashable {
        /// Other operations, by name.
        case dependencies([String])
        /// The answers of its conditions, by name.
        case conditions([String])
        /// Time, an exclusive key, a message from outside.
        case wait(OperationWait)
    }
}

/// The progress of an operation.
public struct OperationProgress: Sendable, Hashable {
    /// The completed work, in units of the operation's choice.
    public var completed: Int64
    /// The total work; nil when it is unknown.
    public var total: Int64?
    /// A short text for people.
    public var text: String?

    /// A report.
    public init(completed: Int64, total: Int64? = nil, text: String? = nil) {
        self.completed = completed
        self.total = total
        self.text = text
    }

    /// 0…1; nil when the total is not known.
    public var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, max(0, Double(completed) / Double(total)))
    }
}

extension OperationContext {
    /// Reports progress to the observers.
    public func report(_ progress: OperationProgress) {
        core.raise(.progress(progress))
        show(progress)
    }

    /// Shows progress to status requests, without telling observers.
    package func show(_ progress: OperationProgress) { core.environment.progress?(core.path, progress) }
}
