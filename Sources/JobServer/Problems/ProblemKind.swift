/// The kinds of problems of the API. The raw value is the stable dotted code, and the last segment of the problem's
/// `type` (RFC 9457 §3.1.1), which is served at `/v1/problems/{code}`.
enum ProblemKind: String, Sendable, Hashable, CaseIterable {
    // the request
    case badRequest = "http.malformed"
    case malformedJSON = "json.malformed"
    case invalidSpec = "spec.invalid"
    case invalidBody = "body.invalid"
    case invalidQuery = "query.invalid"
    case invalidPageToken = "query.page_token"
    case invalidHeader = "header.invalid"
    case unauthenticated = "auth.unauthenticated"
    case forbidden = "auth.forbidden"
    case crossSite = "request.cross_site"
    case pageReadOnly = "page.read_only"
    case misdirected = "request.host"
    case notFound = "route.not_found"
    case methodNotAllowed = "route.method"
    case notAcceptable = "route.not_acceptable"
    case requestTimeout = "http.timeout"
    case payloadTooLarge = "request.body_too_large"
    case targetTooLong = "http.target_too_long"
    case unsupportedMediaType = "body.media_type"
    case idempotencyKeyReused = "idempotency.key_reused"
    case idempotencyJobGone = "idempotency.job_gone"
    case headTooLarge = "http.head_too_large"
    // the job
    case jobNotFound = "job.not_found"
    case jobHasNoResult = "job.no_result"
    case artifactNotFound = "artifact.not_found"
    case artifactGone = "artifact.gone"
    case streamRestarted = "stream.restarted"
    case rangeNotSatisfiable = "range.not_satisfiable"
    case historyTooLong = "job.history_too_long"
    case operationNotFound = "operation.not_found"
    case jobNotFinished = "job.not_finished"
    case invalidTransition = "job.wrong_state"
    case uniqueTaken = "unique.taken"
    case mailboxFull = "job.mailbox_full"
    case groupClosed = "group.closed"
    case templateNotFound = "template.not_found"
    case templatesFull = "template.full"
    case approvalNotFound = "approval.not_found"
    case approvalDecided = "approval.decided"
    case approvalClosed = "approval.closed"
    case approvalStale = "approval.stale"
    case grantNotFound = "grant.not_found"
    case grantsFull = "grant.too_many"
    case secretNotFound = "secret.not_found"
    case secretKeyMismatch = "secret.key_mismatch"
    case connectionNotFound = "connection.not_found"
    case settingsFull = "settings.full"
    case originNotFound = "origin.not_found"
    case queueNotFound = "queue.not_found"
    case queueHasNoRoom = "queue.full"
    case scheduleNotFound = "schedule.not_found"
    case schedulesFull = "schedule.full"
    case scheduleOverlap = "schedule.overlap"
    case backfillActive = "schedule.backfill_active"
    case bulkNotFound = "bulk.not_found"
    case bulkTooLarge = "bulk.too_large"
    case bulksFull = "bulk.full"
    case callbackNotFound = "callback.not_found"
    case callbackUnverified = "callback.unverified"
    case callbackUnready = "callback.not_ready"
    case callbackTaken = "callback.taken"
    case callbackOver = "callback.over"
    case uploadNotFound = "upload.not_found"
    case uploadInUse = "upload.in_use"
    case uploadDigest = "upload.digest"
    case uploadsFull = "upload.full"
    case hookNotFound = "hook.not_found"
    case hookRefused = "hook.refused"
    case hookRate = "hook.rate"
    case hookUnready = "hook.not_ready"
    case hookUnfit = "hook.unfit"
    case hookNoJob = "hook.no_job"
    case deliveryNotFound = "delivery.not_found"
    case deliveryGone = "delivery.gone"
    case preconditionFailed = "request.precondition"
    // the server
    case internalError = "internal.unexpected"
    case unsupportedFeature = "http.unsupported"
    case overloaded = "server.overloaded"
    case clientLimited = "client.limited"
    /// The tenant is beyond its limits.
    case tenantLimited = "tenant.limited"
    case queueFull = "storage.queue_full"
    case storageFull = "storage.disk_full"
    case storageUnavailable = "storage.unavailable"
    case storageDamaged = "storage.damaged"
    case shuttingDown = "server.shutting_down"
    case unsupportedVersion = "http.version"

    /// The stable dotted code.
    var code: String { rawValue }
}

/// The constant parts of a kind of problem.
struct ProblemEntry: Sendable, Hashable {
    var status: Int
    /// One line for people.
    var title: String
    /// Whether the same request may succeed later.
    var retryable = false
    var meaning: String
    var remedy: String
}
