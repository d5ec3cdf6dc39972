public import HTTPMessage

/// One attempt of an operation, when it is over.
public struct AttemptRecord: Sendable, Hashable {
    /// Which attempt, from 1.
    public var number: Int
    /// When it began.
    public var startedAt: Timestamp
    /// When it ended.
    public var finishedAt: Timestamp
    /// How it ended.
    public var outcome: Outcome
    /// The answer's status, for calls that were answered.
    public var status: Int?
    /// What happened on the wire, for calls.
    public var exchange: HTTPCallExchange?
    /// Why it failed.
    public var error: AOperationError?
    /// When the next attempt is due; nil when there is none.
    public var nextAttemptAt: Timestamp?

    /// How an attempt ended.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        case succeeded, failed, cancelled
        /// It was answered, and the upstream was not done yet. It does not count against the attempts allowed.
        case pending
        /// The server stopped, or its job ended, while it was in flight. It does not count against the attempts
        /// allowed.
        case interrupted
    }

    /// An attempt.
    public init(
        number: Int, startedAt: Timestamp, finishedAt: Timestamp, outcome: Outcome, status: Int? = nil,
        exchange: HTTPCallExchange? = nil, error: AOperationError? = nil, nextAttemptAt: Timestamp? = nil
    ) {
        self.number = number
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.outcome = outcome
        self.status = status
        self.exchange = exchange
        self.error = error
        self.nextAttemptAt = nextAttemptAt
    }
}
