public import StrictJSON

/// One thing that happened to an operation of a job and must not be forgotten.
///
/// A running job is rebuilt from its spec and its journal: after a crash, after a long wait, after a retry. The views
/// of operations, attempts and events are read from the same entries.
public struct JournalEntry: Sendable, Hashable {
    /// When it happened.
    public var at: Timestamp
    /// The operation: the names from below the root; empty is the root itself.
    public var path: [String]
    /// What happened.
    public var event: Event

    /// What can happen.
    public enum Event: Sendable, Hashable {
        /// Its execution began for the first time.
        case started
        /// Attempt `number` (from 1) began; for calls with method and URL, credentials left out.
        case attemptStarted(number: Int, method: String?, url: String?)
        /// An attempt ended.
        case attemptFinished(AttemptRecord)
        /// It waits.
        case waiting(OperationWait)
        /// It made a note that outlives the process; a later note of the same name replaces it.
        case noted(name: String, value: JSONValue)
        /// It took the message with this number, from 1, from among those that came to the job.
        case took(message: Int)
        /// It asks a person. The store opens the approval with this entry, and withdraws it when the operation starts
        /// or ends without an answer.
        case approvalRequested(ApprovalRequest)
        /// Nobody answered an approval in time, and that means yes or no. An answer that came before it counts more.
        case approvalExpired(ApprovalID, isApproved: Bool)
        /// Something came to the job from outside; the path is empty.
        case message(JobMessage)
        /// There were attempts up to this number, and so many of them were answered while the upstream was not done.
        /// Only in a `JournalSummary`, for those that it leaves out.
        case leftOut(attempts: Int, polls: Int)
        /// It ended.
        case finished(OperationEnding)
        /// A stop was asked for, and what the error of what it stops is to be.
        case cancelRequested(by: String, reason: String?, code: ErrorCode = .cancelledUser)
        /// A person asked for another try of all that did not succeed.
        case retried(by: String)
    }

    /// An entry.
    public init(at: Timestamp, path: [String], event: Event) {
        self.at = at
        self.path = path
        self.event = event
    }
}

/// How an operation ended.
public struct OperationEnding: Sendable, Hashable {
    /// `succeeded`, `failed`, `cancelled`, `skipped` or `expired`.
    public var state: JobState
    /// What it produced. In the journal of the root this is left out: the store keeps it apart.
    public var result: OperationResult?
    /// All errors, condition errors first and in declared order; empty when it succeeded. A skip carries the reason.
    public var errors: [AOperationError]
    /// Whether its work did not stop within the grace period and was left behind.
    public var abandoned: Bool

    /// An ending.
    public init(
        state: JobState, result: OperationResult? = nil, errors: [AOperationError] = [],
        abandoned: Bool = false
    ) {
        self.state = state
        self.result = result
        self.errors = errors
        self.abandoned = abandoned
    }
}
