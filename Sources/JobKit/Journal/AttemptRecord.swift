package import HTTPMessage

/// A finished attempt of an operation.
package struct AttemptRecord: Sendable, Hashable {
    /// The number, from 1.
    package var number: Int
    package var startedAt: Timestamp
    package var finishedAt: Timestamp
    package var outcome: Outcome
    /// The status of the answer, for answered calls.
    package var status: Int?
    /// The HTTP exchange, for calls.
    package var exchange: HTTPCallExchange?
    package var error: AOperationError?
    /// The due date of the next attempt; nil when there is none.
    package var nextAttemptAt: Timestamp?

    /// The outcome of an attempt, its `state` in JSON: in the words of `JobState` where a job can end so, too.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case succeeded, failed, cancelled
        /// Answered while the upstream was not done. Does not count against the maximum.
        case notDone = "not_done"
        /// Interrupted by the end of the server or of the job. Does not count against the maximum.
        case interrupted
    }

    package init(
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
