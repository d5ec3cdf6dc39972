public import StrictJSON

/// What a person is asked before an operation is executed.
public struct ApprovalRequest: Sendable, Hashable {
    /// Its name for ever.
    public var id: ApprovalID
    /// The question.
    public var question: ApprovalQuestion
    /// What will be done, as it is shown: for a call `method`, `url`, `headers` and `body` with credentials hidden.
    public var request: JSONObject
    /// A digest of what will be done. An answer holds for this and for nothing else.
    public var digest: String
    /// When it expires; nil is never.
    public var expiresAt: Timestamp?

    /// A request.
    public init(
        id: ApprovalID, question: ApprovalQuestion, request: JSONObject, digest: String,
        expiresAt: Timestamp?
    ) {
        self.id = id
        self.question = question
        self.request = request
        self.digest = digest
        self.expiresAt = expiresAt
    }
}

/// The question of an approval, as the spec says it.
public struct ApprovalQuestion: Sendable, Hashable {
    /// What the person reads, 1…1,000 bytes.
    public var prompt: String
    /// Whom it is for, in a word of one's own; nil is whoever may answer.
    public var audience: String?
    /// How long there is to answer, from the moment it is asked; nil is as long as the job lives.
    public var timeout: Duration?
    /// What no answer in time means. Default a rejection.
    public var onTimeout = Fallback.reject

    /// What no answer in time means.
    public enum Fallback: String, Sendable, Hashable, CaseIterable {
        /// The operation fails with `approval.expired`.
        case reject
        /// It goes on as if it had been approved.
        case approve
    }

    /// A question without an end.
    public init(prompt: String) { self.prompt = prompt }
}

/// Where an approval stands. Only `open` ones can be answered; all others are final.
public enum ApprovalState: String, Sendable, Hashable, CaseIterable {
    /// Waits for an answer.
    case open
    /// Somebody approved, or nobody answered in time and that means yes.
    case approved
    /// Somebody said no.
    case rejected
    /// Nobody answered in time.
    case expired
    /// The answer is not needed any more: the operation was stopped, or goes on without it.
    case withdrawn
}
