public import HTTPMessage

/// A finished attempt of an operation.
public struct AttemptRecord: Sendable, Hashable {
    /// The number, from 1.
    public var number: Int
    /// The start.
    public var startedAt: Timestamp
    /// The end.
    public var finishedAt: Timestamp
    /// The outcome.
    public var outcome: Outcome
    /// The status of the answer, for answered calls.
    public var status: Int?
    /// The HTTP exchange, for calls.
    public var exchange: HTTPCallExchange?
    /// The error.
    public var error: AOperationError?
    /// The due date of the next attempt; nil when there is none.
    public var nextAttemptAt: Timestamp?

    /// The outcome of an attempt.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        case succeeded, failed, cancelled
        /// Answered while the upstream was not done. Does not count against the maximum.
        case pending
        /// Interrupted by the end of the server or of the job. Does not count against the maximum.
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
