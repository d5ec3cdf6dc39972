/// One thing that happened to an operation.
public struct AOperationEvent: Sendable {
    /// Its place among the events of the operation, from 1.
    public let sequence: Int
    /// When.
    public let at: Timestamp
    /// What.
    public let kind: Kind

    /// What can happen, in the usual order. Only `finished` is an end, and it comes once. New kinds may join.
    public enum Kind: Sendable {
        /// It was added to a queue.
        case submitted
        /// It cannot go on before something else happens.
        case waiting(Obstacle)
        /// Everything it depends on is finished and lets it run; what it receives can be read.
        case inputReady
        /// It has its place and its keys; the hooks that may prevent its execution are called now.
        case willExecute
        /// Its execution begins. Absent when it is never executed.
        case started
        /// An attempt begins; the first is 1.
        case attemptStarted(number: Int)
        /// It says how far it is.
        case progress(AOperationProgress)
        /// It brought about another operation: a member of a group, or what a condition needs first.
        case produced(AOperationInfo)
        /// An attempt failed and another will follow.
        case attemptFailed(number: Int, error: AOperationError, retryAfter: Duration)
        /// It was asked to stop.
        case cancelRequested(reason: String?)
        /// Its outcome is decided; the hooks that may delay its end are called now.
        case willFinish(OperationEnding)
        /// A hook threw or took too long. The operation goes on.
        case hookFailed(AOperationError)
        /// It is over.
        case finished(OperationEnding)
    }

    /// What an operation waits for.
    public enum Obstacle: Sendable, Hashable {
        /// Other operations, by name.
        case dependencies([String])
        /// The answers of its conditions, by name.
        case conditions([String])
        /// Time, an exclusive key, a message from outside.
        case wait(OperationWait)
    }
}

/// How far an operation is.
public struct AOperationProgress: Sendable, Hashable {
    /// What is done, in units of the operation's own choice.
    public var completed: Int64
    /// What there is to do; nil when that is not known.
    public var total: Int64?
    /// A word for people.
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

extension AOperationContext {
    /// Says how far it is; its observers are told.
    public func report(_ progress: AOperationProgress) {
        core.raise(.progress(progress))
        show(progress)
    }

    /// Says how far it is to who asks, without telling observers.
    package func show(_ progress: AOperationProgress) { core.environment.progress?(core.path, progress) }
}
