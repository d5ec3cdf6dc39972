/// The kinds of problems of the API. The raw value is the last segment of the problem's `type` (RFC 9457 §3.1.1), which
/// is served at `/v1/problems/{slug}`.
enum ProblemKind: String, Sendable, Hashable, CaseIterable {
    // the request
    case badRequest = "bad-request"
    case malformedJSON = "malformed-json"
    case invalidSpec = "invalid-spec"
    case invalidBody = "invalid-body"
    case invalidQuery = "invalid-query"
    case invalidPageToken = "invalid-page-token"
    case invalidHeader = "invalid-header"
    case unauthenticated
    case forbidden
    case crossSite = "cross-site"
    case pageReadOnly = "page-read-only"
    case misdirected = "misdirected-request"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    case requestTimeout = "request-timeout"
    case payloadTooLarge = "payload-too-large"
    case targetTooLong = "target-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case idempotencyKeyReused = "idempotency-key-reused"
    case idempotencyJobGone = "idempotency-job-gone"
    case headTooLarge = "head-too-large"
    // the job
    case jobNotFound = "job-not-found"
    case jobHasNoResult = "job-has-no-result"
    case artifactNotFound = "artifact-not-found"
    case artifactGone = "artifact-gone"
    case rangeNotSatisfiable = "range-not-satisfiable"
    case jobHasNoError = "job-has-no-error"
    case historyTooLong = "history-too-long"
    case operationNotFound = "operation-not-found"
    case attemptNotFound = "attempt-not-found"
    case jobNotFinished = "job-not-finished"
    case invalidTransition = "invalid-transition"
    case uniqueTaken = "unique-taken"
    case mailboxFull = "mailbox-full"
    case groupClosed = "group-closed"
    case templateNotFound = "template-not-found"
    case templatesFull = "templates-full"
    case approvalNotFound = "approval-not-found"
    case approvalDecided = "approval-decided"
    case approvalClosed = "approval-closed"
    case approvalStale = "approval-stale"
    case grantNotFound = "grant-not-found"
    case grantsFull = "grants-full"
    case secretNotFound = "secret-not-found"
    case secretKeyMismatch = "secret-key-mismatch"
    case connectionNotFound = "connection-not-found"
    case settingsFull = "settings-full"
    case originNotFound = "origin-not-found"
    case queueNotFound = "queue-not-found"
    case queueHasNoRoom = "queue-has-no-room"
    case scheduleNotFound = "schedule-not-found"
    case schedulesFull = "schedules-full"
    case scheduleOverlap = "schedule-overlap"
    case backfillActive = "backfill-active"
    case bulkNotFound = "bulk-not-found"
    case bulkTooLarge = "bulk-too-large"
    case bulksFull = "bulks-full"
    case uploadNotFound = "upload-not-found"
    case uploadInUse = "upload-in-use"
    case uploadDigest = "upload-digest"
    case uploadsFull = "uploads-full"
    case preconditionFailed = "precondition-failed"
    // the server
    case internalError = "internal-error"
    case unsupportedFeature = "unsupported-feature"
    case overloaded
    case clientLimited = "client-limited"
    /// The tenant is beyond its limits.
    case tenantLimited = "tenant-limited"
    case queueFull = "queue-full"
    case storageFull = "storage-full"
    case storageUnavailable = "storage-unavailable"
    case storageDamaged = "storage-damaged"
    case shuttingDown = "shutting-down"
    case unsupportedVersion = "unsupported-version"
}

/// The constant parts of a kind of problem.
struct ProblemEntry: Sendable, Hashable {
    var status: Int
    /// The stable dotted code.
    var code: String
    /// One line for people.
    var title: String
    /// Whether the same request may succeed later.
    var retryable = false
    var meaning: String
    var remedy: String
}
