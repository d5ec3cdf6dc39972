package import StrictJSON

/// The request for an approval of an operation.
package struct ApprovalRequest: Sendable, Hashable {
    /// Its name for ever.
    package var id: ApprovalID
    package var question: ApprovalQuestion
    /// The operation as shown: for a call `method`, `url`, `headers` and `body` with credentials hidden.
    package var request: JSONObject
    /// The digest of the operation. A decision holds for this digest only.
    package var digest: String
    /// The expiry; nil means never.
    package var expiresAt: Timestamp?

    package init(
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

/// The question of an approval, as in the spec.
package struct ApprovalQuestion: Sendable, Hashable {
    /// The text for the person, 1…1,000 bytes.
    package var prompt: String
    /// The intended audience, a word of the user's choice; nil means anyone permitted.
    package var audience: String?
    /// The time to answer, from the moment the approval opens; nil means the life of the job.
    package var timeout: Duration?
    /// The effect of no answer in time. Default a failure.
    package var onTimeout = Fallback.fail

    /// The effect of no answer in time.
    package enum Fallback: String, Sendable, Hashable, CaseIterable {
        /// The operation fails with `approval.expired`.
        case fail
        /// The operation continues as if approved.
        case `continue`
    }

    /// A question without a time limit.
    package init(prompt: String) { self.prompt = prompt }
}

/// The state of an approval. Only `open` ones can be decided; all others are final.
package enum ApprovalState: String, Sendable, Hashable, CaseIterable {
    /// Waits for a decision.
    case open
    /// Approved by a person, or by timeout.
    case approved
    /// Rejected by a person.
    case rejected
    /// Not decided in time.
    case expired
    /// No longer needed: the operation was cancelled, or continues without it.
    case withdrawn
}
