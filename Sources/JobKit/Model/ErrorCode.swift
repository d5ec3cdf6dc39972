/// The stable dotted code of an error: a family and a name, such as `http.status`.
///
/// A struct, so that a new code is no breaking change. All codes of this library are constants here.
public struct ErrorCode: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The whole code.
    public let description: String

    /// A custom code: lower case words with underscores, family and name separated by a dot.
    public init(_ text: String) { description = text }

    /// A custom code as a literal.
    public init(stringLiteral text: String) { description = text }

    /// The part before the first dot.
    public var family: String { String(description.prefix { $0 != "." }) }

    /// The default title for people.
    public var title: String { Self.titles[description] ?? description }

    // calls
    /// Upstream answered with an error status.
    public static let httpStatus = ErrorCode("http.status")
    /// A header field cannot be sent.
    public static let httpField = ErrorCode("http.field")
    /// The answer is larger than allowed.
    public static let bodyTooLarge = ErrorCode("body.too_large")
    /// The address may not be called.
    public static let egressBlocked = ErrorCode("egress.blocked")
    /// The status is not among the expected ones.
    public static let expectStatus = ErrorCode("expect.status")
    /// The content type is not the expected one.
    public static let expectContentType = ErrorCode("expect.content_type")
    /// The answer does not meet the expectation.
    public static let expectThat = ErrorCode("expect.that")
    // identification
    /// A secret that the request names does not exist.
    public static let authSecretMissing = ErrorCode("auth.secret_missing")
    /// The connection that the operation names does not exist.
    public static let authConnectionMissing = ErrorCode("auth.connection_missing")
    /// No access token could be had.
    public static let authTokenFetch = ErrorCode("auth.token_fetch")
    /// The request could not be signed.
    public static let authSignature = ErrorCode("auth.signature")
    // callback URLs
    /// The server has no address for callback URLs.
    public static let callbackUnavailable = ErrorCode("callback.unavailable")
    /// The sender reported a failure.
    public static let callbackFailed = ErrorCode("callback.failed")
    /// The sender was not heard of in time.
    public static let callbackSilent = ErrorCode("callback.silent")
    // clocks
    /// The operation took longer than its timeout.
    public static let timeoutTotal = ErrorCode("timeout.total")
    /// The deadline passed.
    public static let timeoutFinishBy = ErrorCode("timeout.finish_by")
    /// The attempt took too long.
    public static let timeoutAttempt = ErrorCode("timeout.attempt")
    // conditions
    /// A condition is not satisfied.
    public static let conditionUnsatisfied = ErrorCode("condition.unsatisfied")
    /// The host cannot be reached.
    public static let conditionUnreachable = ErrorCode("condition.unreachable")
    /// A condition holds that must not.
    public static let conditionHolds = ErrorCode("condition.holds")
    /// A dependency did not succeed.
    public static let conditionDependencies = ErrorCode("condition.dependencies_not_succeeded")
    /// The time window is closed.
    public static let conditionWindowClosed = ErrorCode("condition.window_closed")
    /// A condition could not be evaluated.
    public static let conditionBroken = ErrorCode("condition.broken")
    /// Not every one of several conditions holds.
    public static let conditionNotAll = ErrorCode("condition.not_all_satisfied")
    /// None of several conditions holds.
    public static let conditionNone = ErrorCode("condition.none_satisfied")
    /// A dependency was cancelled.
    public static let conditionDependenciesCancelled = ErrorCode("condition.dependencies_cancelled")
    /// An operation that a condition needs first failed.
    public static let conditionPrerequisiteFailed = ErrorCode("condition.prerequisite_failed")
    /// An operation that a condition needs first was cancelled or skipped.
    public static let conditionPrerequisiteCancelled = ErrorCode("condition.prerequisite_cancelled")
    /// The capability that a condition requires does not exist here.
    public static let conditionUnavailable = ErrorCode("condition.grant_unavailable")
    /// A grant is missing, or its scope is too narrow.
    public static let conditionNotAuthorized = ErrorCode("condition.not_authorized")
    /// A person rejected the request.
    public static let approvalRejected = ErrorCode("approval.rejected")
    /// The request expired without an answer.
    public static let approvalExpired = ErrorCode("approval.expired")
    /// The request has no answer yet, and the condition must not ask.
    public static let approvalUnanswered = ErrorCode("approval.unanswered")
    // flow
    /// A dependency failed.
    public static let dependencyFailed = ErrorCode("dependency.failed")
    /// A dependency was cancelled.
    public static let dependencyCancelled = ErrorCode("dependency.cancelled")
    /// A dependency was skipped.
    public static let dependencySkipped = ErrorCode("dependency.skipped")
    /// Work that would wait for itself, or a member for its own group, also through others.
    public static let dependencyCycle = ErrorCode("dependency.cycle")
    /// The `when` of an operation, or the gate around it, does not hold.
    public static let whenFalse = ErrorCode("condition.when_false")
    /// Another branch was chosen.
    public static let notChosen = ErrorCode("condition.not_chosen")
    /// Cancelled on request.
    public static let cancelledUser = ErrorCode("cancelled.user")
    /// Cancelled with its parent.
    public static let cancelledParent = ErrorCode("cancelled.parent")
    /// The task that waited for an operation was cancelled; the operation was not.
    public static let cancelledWaiting = ErrorCode("cancelled.waiting")
    /// Cancelled because another operation took its unique key.
    public static let cancelledReplaced = ErrorCode("cancelled.replaced")
    /// Cancelled because the server stops.
    public static let cancelledShutdown = ErrorCode("cancelled.shutdown")
    /// The call was stopped.
    public static let cancelledTransport = ErrorCode("cancelled.transport")
    /// The job was not started in time.
    public static let timeoutStartBy = ErrorCode("timeout.start_by")
    /// The attempt was interrupted.
    public static let interrupted = ErrorCode("internal.interrupted")
    /// The server died whenever the job ran.
    public static let crashed = ErrorCode("internal.crashed")
    /// A hook before the execution or the end threw.
    public static let hookFailed = ErrorCode("hook.failed")
    /// A hook before the execution or the end timed out.
    public static let hookTimeout = ErrorCode("hook.timeout")
    // data
    /// A referenced value is missing.
    public static let referenceMissing = ErrorCode("reference.missing")
    /// A referenced operation has no result.
    public static let referenceFailed = ErrorCode("reference.failed")
    /// A URL template cannot be expanded.
    public static let templateInvalid = ErrorCode("template.invalid")
    /// A place was asked for inside content that is not JSON.
    public static let referenceNotJSON = ErrorCode("reference.not_json")
    /// Predicates and values take too many steps.
    public static let evaluationTooLong = ErrorCode("evaluation.too_long")
    /// A transform failed.
    public static let transformFailed = ErrorCode("transform.failed")
    /// A transform yields too much.
    public static let transformTooLarge = ErrorCode("transform.too_large")
    /// The upstream reports a failure.
    public static let pollFailed = ErrorCode("poll.failed")
    /// There were as many polls as allowed, and the upstream was not done.
    public static let pollExhausted = ErrorCode("poll.exhausted")
    /// The work was accepted, but the poll location in the answer cannot be followed.
    public static let pollLocation = ErrorCode("poll.location")
    /// The answer names a next page that cannot be fetched.
    public static let pagesNext = ErrorCode("pages.next")
    /// A page names a next one that was named before.
    public static let pagesLoop = ErrorCode("pages.loop")
    /// There were as many pages as allowed, and there is a next one.
    public static let pagesLimit = ErrorCode("pages.limit")
    /// There were as many runs as allowed, and they were not enough.
    public static let repeatExhausted = ErrorCode("repeat.exhausted")
    /// A composed value is too large.
    public static let valueTooLarge = ErrorCode("value.too_large")
    /// The job has too many operations, or keeps too much.
    public static let jobTooLarge = ErrorCode("job.too_large")
    /// A delivered value has another type.
    public static let referenceType = ErrorCode("reference.type")
    /// A delivered value could not be transformed.
    public static let referenceTransform = ErrorCode("reference.transform")
    /// The group takes no further members.
    public static let groupClosed = ErrorCode("group.closed")
    /// Too few members of the group succeeded.
    public static let groupIncomplete = ErrorCode("group.incomplete")
    /// There were more errors of members than are kept.
    public static let groupErrorsOmitted = ErrorCode("group.errors_omitted")
    /// The unique key is taken.
    public static let uniqueTaken = ErrorCode("unique.taken")
    /// The queue did not take the operation.
    public static let queueRefused = ErrorCode("queue.refused")
    /// As many jobs as may wait for other jobs already.
    public static let queueWaitsFull = ErrorCode("queue.waits_full")
    /// The answer has no content.
    public static let bodyEmpty = ErrorCode("body.empty")
    /// The answer was not HTTP.
    public static let httpProtocol = ErrorCode("http.protocol")
    /// Something could not be stored.
    public static let storage = ErrorCode("storage.failed")
    /// There is no space for the content.
    public static let storageFull = ErrorCode("storage.full")
    /// Stored content no longer exists.
    public static let storageMissing = ErrorCode("storage.missing")
    /// The facts of a job in the store cannot be read.
    public static let storageDamaged = ErrorCode("storage.damaged")
    /// The content is too large for references into it.
    public static let referenceTooLarge = ErrorCode("reference.too_large")
    /// The content has another digest than it should.
    public static let downloadDigest = ErrorCode("download.digest")
    /// The content has another size than it should.
    public static let downloadSize = ErrorCode("download.size")
    /// The upstream answered with a different range than requested.
    public static let downloadRange = ErrorCode("download.range")
    /// An event of an event stream is too large to look into.
    public static let streamEvent = ErrorCode("stream.event_too_large")
    /// The server does not have this kind of operation.
    public static let kindMissing = ErrorCode("internal.kind_missing")
    /// Something unexpected went wrong.
    public static let unexpected = ErrorCode("internal.unexpected")

    private static let titles: [String: String] = [
        "http.status": "Upstream answered with an error status",
        "http.field": "A header field cannot be sent",
        "body.too_large": "The answer is larger than allowed",
        "egress.blocked": "The address may not be called",
        "expect.status": "The status is not an expected one",
        "expect.content_type": "The content type is not the expected one",
        "expect.that": "The answer violates the expectation",
        "auth.secret_missing": "A secret is missing",
        "auth.connection_missing": "A connection is missing",
        "auth.token_fetch": "No access token could be obtained",
        "auth.signature": "The request could not be signed",
        "callback.unavailable": "There are no callback URLs here",
        "callback.failed": "A failure was reported to the callback URL",
        "callback.silent": "The callback URL received no heartbeat",
        // codes of calls, which come from the transport
        "dns.not_found": "The name of the host was not found",
        "dns.failed": "The name of the host could not be looked up",
        "connect.refused": "No server listens at the address",
        "connect.reset": "The connection was reset",
        "connect.unreachable": "The address cannot be reached",
        "connect.failed": "The connection failed",
        "tls.handshake": "The TLS handshake failed",
        "tls.certificate_expired": "The certificate of the upstream has expired",
        "tls.certificate_untrusted": "The certificate of the upstream is not trusted",
        "tls.hostname_mismatch": "The certificate is for another name",
        "timeout.connect": "Connecting took too long",
        "timeout.first_byte": "The answer did not begin in time",
        "http.redirect": "A redirect cannot be followed",
        "http.method": "The method cannot be sent",
        "http.url": "The URL cannot be called",
        "body.encoding": "The content cannot be decoded",
        "body.truncated": "The content was truncated",
        "internal.transport": "The call failed inside the server",
        "body.expansion": "The content grows too much when it is decompressed",
        "body.source": "The content to send could not be read",
        "http.version": "The upstream does not support the requested version",
        "proxy.auth": "The proxy requires credentials",
        "proxy.connect": "The proxy did not connect to the upstream",
        "proxy.not_found": "The name of the proxy was not found",
        "proxy.refused": "No proxy listens at the address",
        "proxy.tls": "The TLS handshake with the proxy failed",
        "proxy.unreachable": "The proxy cannot be reached",
        "proxy.url": "The URL of the proxy cannot be used",
        "timeout.stall": "The exchange stalled for too long",
        "tls.authorities": "The certificate authorities cannot be read",
        "tls.client_certificate": "The client certificate cannot be used",
        "tls.client_certificate_refused": "The client certificate is not accepted",
        "tls.client_certificate_required": "The upstream requires a client certificate",
        "timeout.total": "The operation took longer than its timeout",
        "timeout.finish_by": "The deadline passed",
        "timeout.attempt": "The attempt took too long",
        "timeout.start_by": "It was not started in time",
        "condition.unsatisfied": "A condition is not satisfied",
        "condition.unreachable": "The host cannot be reached",
        "condition.holds": "A condition holds that must not",
        "condition.dependencies_not_succeeded": "A dependency did not succeed",
        "condition.not_all_satisfied": "Not every condition holds",
        "condition.none_satisfied": "None of the conditions holds",
        "condition.dependencies_cancelled": "A dependency was cancelled",
        "condition.prerequisite_failed": "A prerequisite of a condition failed",
        "condition.prerequisite_cancelled": "A prerequisite of a condition was cancelled",
        "condition.grant_unavailable": "The grant is not available here",
        "condition.not_authorized": "The permission was not granted",
        "approval.rejected": "The request was rejected",
        "approval.expired": "The request was not answered in time",
        "approval.unanswered": "The request has not been answered yet",
        "condition.broken": "A condition could not be evaluated",
        "condition.window_closed": "The time window is closed",
        "condition.when_false": "The operation is not to run",
        "condition.not_chosen": "Another branch was chosen",
        "dependency.failed": "A dependency failed",
        "dependency.cancelled": "A dependency was cancelled",
        "dependency.skipped": "A dependency was skipped",
        "dependency.cycle": "An operation would wait for itself",
        "cancelled.user": "Cancelled on request",
        "cancelled.parent": "Cancelled with its parent",
        "cancelled.waiting": "The task that waited was cancelled",
        "cancelled.shutdown": "Cancelled because the server stops",
        "cancelled.transport": "The call was stopped",
        "internal.interrupted": "The attempt was interrupted",
        "internal.crashed": "The server crashed whenever the job ran",
        "internal.kind_missing": "The server does not have this kind of operation",
        "reference.missing": "A referenced value is missing",
        "reference.failed": "A referenced operation has no result",
        "reference.not_json": "The content is not JSON",
        "evaluation.too_long": "The evaluation takes too long",
        "template.invalid": "A URL template cannot be expanded",
        "transform.failed": "A transform failed",
        "transform.too_large": "A transform yields too much",
        "value.too_large": "A value is too large",
        "job.too_large": "The job is too large",
        "poll.failed": "The upstream reports a failure",
        "poll.exhausted": "The upstream was not done in time",
        "poll.location": "The answer has no poll location",
        "pages.next": "The next page cannot be fetched",
        "pages.loop": "The pages lead back to one before",
        "pages.limit": "The limit of pages was reached",
        "repeat.exhausted": "The limit of runs was reached",
        "reference.type": "A delivered value has another type",
        "reference.transform": "A delivered value could not be transformed",
        "group.incomplete": "Too few members of the group succeeded",
        "group.errors_omitted": "Further errors of members were omitted",
        "unique.taken": "The unique key is taken",
        "queue.refused": "The queue refused the operation",
        "queue.waits_full": "Too many jobs wait for others",
        "body.empty": "The answer has no content",
        "http.protocol": "The answer was not HTTP",
        "cancelled.replaced": "Another operation took its unique key",
        "group.closed": "The group is closed to further members",
        "hook.failed": "A hook failed",
        "hook.timeout": "A hook timed out",
        "storage.failed": "A write to the store failed",
        "storage.full": "There is no space for the content",
        "storage.missing": "Stored content does not exist any more",
        "storage.damaged": "The facts about the job cannot be read",
        "reference.too_large": "The content is too large for references into it",
        "download.digest": "The content has the wrong digest",
        "download.size": "The content has the wrong size",
        "download.range": "The upstream sent a different range than requested",
        "stream.event_too_large": "An event of the stream is too large",
        "internal.unexpected": "An unexpected error occurred",
    ]
}
