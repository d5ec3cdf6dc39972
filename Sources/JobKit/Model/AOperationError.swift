public import StrictJSON

/// Why an operation did not succeed.
///
/// An error keeps its origin for ever: groups, wrappers and receivers hand it on without changing `state`,
/// `publisher` or `path`.
public struct AOperationError: Error, Sendable, Hashable {
    /// Where an error arose.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// A condition was not satisfied; the operation was never executed.
        case condition
        /// The operation itself failed, was stopped or could not start.
        case execution
    }

    /// A stable dotted code such as `http.status`; the families stand in `Docs/Errors.md`.
    public var code: ErrorCode
    /// One line for people.
    public var title: String
    /// What happened and what to do next, for people.
    public var detail: String
    /// Whether a condition or the execution failed.
    public var state: State
    /// The name of the operation or condition in which the error arose; filled in by the engine.
    public var publisher: String?
    /// The names from the root operation down to the one in which the error arose.
    public var path: [String] = []
    /// The attempt during which it arose, from 1; nil when nothing was attempted.
    public var attempt: Int?
    /// When it arose.
    public var at: Timestamp?
    /// The underlying error, in its own words.
    public var publishedError: PublishedError?
    /// Where in a call: `dns connect tls send wait receive expect`.
    public var phase: String?
    /// `not_sent`, `sent_unknown` or `answered`, for errors of calls.
    public var delivery: String?
    /// Whether another attempt may help.
    public var retryable: Bool = false
    /// Why there was no further attempt: `attempts budget policy unsafe_method cancelled`.
    public var retryStoppedBy: String?
    /// What the other side said, for calls that were answered.
    public var upstream: Upstream?
    /// Milliseconds per phase of the call, by name.
    public var timing: JSONObject?
    /// The errors that led to this one, at most 20.
    public var causes: [AOperationError] = []

    /// The underlying error, in its own words.
    public struct PublishedError: Sendable, Hashable {
        /// Whose numbering `code` belongs to, such as `http` or `curl`.
        public var domain: String
        /// The number within the domain.
        public var code: Int
        /// What it says.
        public var description: String
        /// Why, when that is known.
        public var failureReason: String?
        /// What a person can do.
        public var recoverySuggestion: String?
        /// More facts; never secrets.
        public var info: JSONObject

        /// An underlying error.
        public init(
            domain: String, code: Int, description: String, failureReason: String? = nil,
            recoverySuggestion: String? = nil, info: JSONObject = JSONObject()
        ) {
            self.domain = domain
            self.code = code
            self.description = description
            self.failureReason = failureReason
            self.recoverySuggestion = recoverySuggestion
            self.info = info
        }
    }

    /// What the other side said.
    public struct Upstream: Sendable, Hashable {
        /// The status.
        public var status: Int
        /// The answer's fields, without those that carry credentials.
        public var headers: JSONObject
        /// The beginning of the answer's content as text, at most 4 KiB.
        public var bodyExcerpt: String?

        /// An answer.
        public init(status: Int, headers: JSONObject, bodyExcerpt: String?) {
            self.status = status
            self.headers = headers
            self.bodyExcerpt = bodyExcerpt
        }
    }

    /// An error of which only the essence is known; the rest is set as needed.
    public init(
        _ code: ErrorCode, title: String? = nil, detail: String, state: State = .execution,
        publisher: String? = nil,
        retryable: Bool = false, causes: [AOperationError] = []
    ) {
        self.code = code
        self.title = title ?? code.title
        self.detail = detail
        self.state = state
        self.publisher = publisher
        self.retryable = retryable
        self.causes = Array(causes.prefix(20))
    }

    /// Whether the operation was stopped on request.
    public var isCancelled: Bool { code.family == "cancelled" }
}
