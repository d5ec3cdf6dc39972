public import StrictJSON

/// The error of an operation that did not succeed.
///
/// An error keeps its origin: groups, wrappers and receivers pass it on without changing `stage`, `publisher` or
/// `path`.
public struct AOperationError: Error, Sendable, Hashable {
    /// The part of an operation in which an error arose.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// A condition was not satisfied; the operation was never executed.
        case condition
        /// The operation itself failed, was stopped or could not start.
        case execution
    }

    /// A stable dotted code such as `http.status`; `Docs/Errors.md` lists the families.
    public var code: ErrorCode {
        get { facts.code }
        set { facts.code = newValue }
    }
    /// One line for people.
    public var title: String {
        get { facts.title }
        set { facts.title = newValue }
    }
    /// The specifics of the error and the remedy, for people.
    public var detail: String {
        get { facts.detail }
        set { facts.detail = newValue }
    }
    /// Whether a condition or the execution failed.
    public var stage: Stage {
        get { facts.stage }
        set { facts.stage = newValue }
    }
    /// The name of the operation or condition in which the error arose; filled in by the engine.
    public var publisher: String? {
        get { facts.publisher }
        set { facts.publisher = newValue }
    }
    /// The names from the root operation down to the one in which the error arose.
    public var path: [String] {
        get { facts.path }
        set { facts.path = newValue }
    }
    /// The attempt during which it arose, from 1; nil when nothing was attempted.
    public var attempt: Int? {
        get { facts.attempt }
        set { facts.attempt = newValue }
    }
    /// The time of the error.
    public var at: Timestamp? {
        get { facts.at }
        set { facts.at = newValue }
    }
    /// The underlying error, in its own words.
    public var publishedError: PublishedError? {
        get { facts.publishedError }
        set { facts.publishedError = newValue }
    }
    /// The thrown error, for `as?`: unchanged, secrets included. Nil without another error, and for an error from a
    /// journal. Ignored when errors are compared.
    public var underlying: (any Error)? {
        get { facts.underlying.error }
        set { facts.underlying.error = newValue }
    }
    /// The phase of a call: `line dns connect tls send wait receive expect`.
    public var phase: String? {
        get { facts.phase }
        set { facts.phase = newValue }
    }
    /// `not_sent`, `sent_unknown` or `answered`, for errors of calls.
    public var delivery: String? {
        get { facts.delivery }
        set { facts.delivery = newValue }
    }
    /// Whether another attempt may help. False where nothing was said, too: then that depends on the operation.
    public var retryable: Bool {
        get { facts.retryable.explicit ?? false }
        set { facts.retryable.explicit = newValue }
    }
    /// Whether it says that another attempt does not help.
    package var refusesRetry: Bool { facts.retryable.explicit == false }
    /// The reason for no further attempt: `attempts budget policy unsafe_method cancelled breaker receiver`.
    public var retryStoppedBy: String? {
        get { facts.retryStoppedBy }
        set { facts.retryStoppedBy = newValue }
    }
    /// The answer of the upstream, for calls that got one.
    public var upstream: Upstream? {
        get { facts.upstream }
        set { facts.upstream = newValue }
    }
    /// Milliseconds per phase of the call, by name.
    public var timing: JSONObject? {
        get { facts.timing }
        set { facts.timing = newValue }
    }
    /// The errors that led to this one, at most 20.
    public var causes: [AOperationError] {
        get { facts.causes }
        set { facts.causes = newValue }
    }

    /// The number of bytes that this form of the error leaves out; 0 for a whole error.
    public internal(set) var bytesOmitted: Int {
        get { facts.bytesOmitted }
        set { facts.bytesOmitted = newValue }
    }

    /// All members, out of line: most operations have no error, and values that may have one stay small.
    private indirect enum Box: Sendable, Hashable {
        case of(Facts)
    }

    private struct Facts: Sendable, Hashable {
        var code: ErrorCode
        var title: String
        var detail: String
        var stage: Stage
        var publisher: String?
        var path: [String] = []
        var attempt: Int?
        var at: Timestamp?
        var publishedError: PublishedError?
        var underlying = Underlying()
        var phase: String?
        var delivery: String?
        var retryable = Retryable()
        var retryStoppedBy: String?
        var upstream: Upstream?
        var timing: JSONObject?
        var causes: [AOperationError] = []
        var bytesOmitted = 0
    }

    /// Like any other: two errors that say the same are the same.
    private struct Underlying: Sendable, Hashable {
        var error: (any Error)?

        static func == (left: Underlying, right: Underlying) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Nothing said counts as no, except to those who ask what was said.
    private struct Retryable: Sendable, Hashable {
        var explicit: Bool?

        static func == (left: Retryable, right: Retryable) -> Bool {
            (left.explicit ?? false) == (right.explicit ?? false)
        }
        func hash(into hasher: inout Hasher) { hasher.combine(explicit ?? false) }
    }

    private var box: Box
    private var facts: Facts {
        get {
            switch box {
            case .of(let facts): facts
            }
        }
        set { box = .of(newValue) }
    }

    /// The underlying error, in its own words.
    public struct PublishedError: Sendable, Hashable {
        /// The domain of `code`, such as `http` or `curl`.
        public var domain: String
        /// The number within the domain.
        public var code: Int
        /// The text of the error.
        public var description: String
        /// The reason, when known.
        public var failureReason: String?
        /// A remedy.
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

    /// The answer of the upstream.
    public struct Upstream: Sendable, Hashable {
        /// The status.
        public var status: Int
        /// The answer's fields, without those that carry credentials, at most 16 KiB.
        public var headers: JSONObject
        /// The beginning of the answer's content as text, at most 4 KiB.
        public var bodyExcerpt: String?
        /// The number of fields that are left out, since they did not fit.
        public internal(set) var headersOmitted = 0
        /// The size of the fields that are left out, in bytes.
        public internal(set) var headerBytesOmitted = 0

        /// An answer.
        public init(status: Int, headers: JSONObject, bodyExcerpt: String?) {
            self.status = status
            self.headers = headers
            self.bodyExcerpt = bodyExcerpt
        }
    }

    /// An error with the essential members; the others are set as needed.
    ///
    /// `retryable` tells whether another attempt may help. Nil, the default, leaves that to the operation: one with
    /// `retry(attempts:)`, or of a kind of its own with `retry`, has another attempt.
    public init(
        _ code: ErrorCode, title: String? = nil, detail: String, stage: Stage = .execution,
        publisher: String? = nil,
        retryable: Bool? = nil, causes: [AOperationError] = []
    ) {
        box = .of(
            Facts(
                code: code, title: title ?? code.title, detail: detail, stage: stage, publisher: publisher,
                retryable: Retryable(explicit: retryable), causes: Array(causes.prefix(20))))
    }

    /// Whether the operation was stopped on request.
    public var isCancelled: Bool { code.family == "cancelled" }
}
