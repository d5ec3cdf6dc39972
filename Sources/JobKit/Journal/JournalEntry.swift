package import StrictJSON

/// An event of an operation that must not be lost.
///
/// A running job is rebuilt from its spec and its journal: after a crash, after a long wait, after a retry. The views
/// of operations, attempts and events are made from the same entries.
package struct JournalEntry: Sendable, Hashable {
    /// The time of the event.
    package var at: Timestamp
    /// The operation: the names below the root; empty is the root itself.
    package var path: [String]
    package var event: Event

    /// The event. The large ones are behind a reference, since entries are handed on by value from floor to floor.
    package enum Event: Sendable, Hashable {
        /// The execution started for the first time.
        case started
        /// Attempt `number` (from 1) started; for calls with method and URL, without credentials.
        case attemptStarted(number: Int, method: String?, url: String?)
        indirect case attemptFinished(AttemptRecord)
        indirect case waiting(OperationWait)
        /// The operation stored a note that outlives the process; a later note of the same name replaces it.
        case noted(name: String, value: JSONValue)
        /// The operation took the message with this number, from 1.
        /// - bytes: the size of its content.
        case took(message: Int, bytes: Int = 0)
        /// An approval was requested. The store opens it with this entry, and withdraws it when the operation starts or
        /// ends without a decision.
        indirect case approvalRequested(ApprovalRequest)
        /// An approval timed out, as approved or rejected. A decision that came before takes precedence.
        case approvalExpired(ApprovalID, isApproved: Bool)
        /// A message came to the job; the path is empty.
        indirect case message(JobMessage)
        /// Replaces attempts up to this number, of which some were polls. Only in a `JournalSummary`.
        case leftOut(attempts: Int, polls: Int)
        indirect case finished(OperationEnding)
        /// A cancellation was requested, with the code of the resulting error.
        case cancelRequested(by: String, reason: String?, code: ErrorCode = .cancelledUser)
        /// A person retried everything that did not succeed.
        case retried(by: String)
    }

    package init(at: Timestamp, path: [String], event: Event) {
        self.at = at
        self.path = path
        self.event = event
    }
}

/// The ending of an operation.
public struct OperationEnding: Sendable, Hashable {
    /// `succeeded`, `failed`, `cancelled`, `skipped` or `expired`.
    public var state: JobState
    /// The result. Omitted in the root's entry: the store keeps it separately.
    public var result: OperationResult? {
        get { carried?.result }
        set { carried = newValue.map(CarriedResult.init) }
    }
    /// All errors, condition errors first and in declared order; empty after success. A skip has its reason.
    public var errors: [AOperationError]
    /// Whether its work did not stop within the grace period and was abandoned.
    public var abandoned: Bool

    /// An ending.
    public init(
        state: JobState, result: OperationResult? = nil, errors: [AOperationError] = [],
        abandoned: Bool = false
    ) {
        self.state = state
        self.errors = errors
        self.abandoned = abandoned
        carried = result.map(CarriedResult.init)
    }

    // Apart: most endings have none, and are copied often.
    private var carried: CarriedResult?

    private final class CarriedResult: Sendable, Hashable {
        let result: OperationResult

        init(_ result: OperationResult) { self.result = result }

        static func == (left: CarriedResult, right: CarriedResult) -> Bool { left.result == right.result }

        func hash(into hasher: inout Hasher) { hasher.combine(result) }
    }
}

extension OperationEnding {
    /// The ending as it is kept.
    package var kept: OperationEnding {
        if errors.isEmpty { return self }
        var kept = self
        kept.errors = errors.fitting()
        return kept
    }
}
