/// The stable dotted code of an error: a family and a name, such as `http.status`.
///
/// It is a struct so that a new code breaks nobody. All codes that this library gives out are constants here.
public struct ErrorCode: Sendable, Hashable, CustomStringConvertible {
    /// The whole code.
    public let description: String

    /// A code of your own: lower case words with underscores, family and name separated by a dot.
    public init(_ text: String) { description = text }

    /// The part before the first dot.
    public var family: String { String(description.prefix { $0 != "." }) }

    /// A title for people when no better one is known.
    public var title: String { Self.titles[description] ?? description }

    // calls
    public static let httpStatus = ErrorCode("http.status")
    public static let httpField = ErrorCode("http.field")
    public static let bodyTooLarge = ErrorCode("body.too_large")
    public static let egressBlocked = ErrorCode("egress.blocked")
    public static let expectStatus = ErrorCode("expect.status")
    public static let expectContentType = ErrorCode("expect.content_type")
    public static let expectThat = ErrorCode("expect.that")
    // clocks
    public static let timeoutTotal = ErrorCode("timeout.total")
    public static let timeoutDeadline = ErrorCode("timeout.deadline")
    public static let timeoutAttempt = ErrorCode("timeout.attempt")
    // conditions
    public static let conditionUnsatisfied = ErrorCode("condition.unsatisfied")
    public static let conditionUnreachable = ErrorCode("condition.unreachable")
    public static let conditionNegated = ErrorCode("condition.negated")
    public static let conditionDependencies = ErrorCode("condition.dependencies_not_succeeded")
    public static let conditionBroken = ErrorCode("condition.broken")
    // flow
    public static let dependencyFailed = ErrorCode("dependency.failed")
    public static let dependencyCancelled = ErrorCode("dependency.cancelled")
    public static let dependencySkipped = ErrorCode("dependency.skipped")
    public static let whenFalse = ErrorCode("condition.when_false")
    public static let cancelledUser = ErrorCode("cancelled.user")
    public static let cancelledParent = ErrorCode("cancelled.parent")
    public static let cancelledShutdown = ErrorCode("cancelled.shutdown")
    public static let cancelledTransport = ErrorCode("cancelled.transport")
    public static let expired = ErrorCode("timeout.queue")
    public static let interrupted = ErrorCode("internal.interrupted")
    // data
    public static let referenceMissing = ErrorCode("reference.missing")
    public static let referenceFailed = ErrorCode("reference.failed")
    public static let templateInvalid = ErrorCode("template.invalid")
    public static let groupClosed = ErrorCode("group.closed")
    public static let storage = ErrorCode("storage.failed")
    public static let unexpected = ErrorCode("internal.unexpected")

    private static let titles: [String: String] = [
        "http.status": "Upstream answered with an error status",
        "http.field": "A header field cannot be sent",
        "body.too_large": "The answer is larger than allowed",
        "egress.blocked": "The address may not be called",
        "expect.status": "The status is not among the expected ones",
        "expect.content_type": "The content type is not the expected one",
        "expect.that": "The answer does not meet the expectation",
        "timeout.total": "The operation took longer than its timeout",
        "timeout.deadline": "The deadline passed",
        "timeout.attempt": "The attempt took too long",
        "timeout.queue": "The job was not started in time",
        "condition.unsatisfied": "A condition is not satisfied",
        "condition.unreachable": "The host cannot be reached",
        "condition.negated": "A negated condition is satisfied",
        "condition.dependencies_not_succeeded": "A dependency did not succeed",
        "condition.broken": "A condition could not be evaluated",
        "condition.when_false": "The gate is closed",
        "dependency.failed": "A dependency failed",
        "dependency.cancelled": "A dependency was cancelled",
        "dependency.skipped": "A dependency was skipped",
        "cancelled.user": "Cancelled on request",
        "cancelled.parent": "Cancelled with its parent",
        "cancelled.shutdown": "Cancelled because the server stops",
        "cancelled.transport": "The call was stopped",
        "internal.interrupted": "The attempt was interrupted",
        "reference.missing": "A referenced value is missing",
        "reference.failed": "A referenced operation has no result",
        "template.invalid": "A URL template cannot be expanded",
        "group.closed": "The group takes no further members",
        "storage.failed": "The outcome could not be stored",
        "internal.unexpected": "Something unexpected went wrong",
    ]
}
