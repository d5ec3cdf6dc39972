import EventIO
import HTTPMessage

/// A method and a path. A class, since requests in flight retain theirs.
final class Route: Sendable {
    /// The function that serves a request.
    typealias Handler = @Sendable (RequestContext) throws(Problem) -> Void
    /// A function that begins to take the body of a request. It is passed what makes the answer to one refused later.
    typealias SinkMaker =
        @Sendable (
            LoopDoor, HTTPRequestHead, Caller, PeerAddress, @escaping @Sendable (Problem) -> HTTPResponse
        )
        throws(Problem) -> any HTTPBodySink

    let method: HTTPMethod
    let pattern: RoutePattern
    /// The scope that the token needs; nil requires no token.
    let scope: AccessScope?
    /// The scopes, one of which a token needs; empty when none is required.
    let scopes: [AccessScope]
    /// Whether it is about the whole server, and not for tenants.
    let isForOperators: Bool
    /// The maximum body size, in bytes.
    let bodyBytesMax: Int
    /// Whether the route creates work, which is refused under overload.
    let makesWork: Bool
    /// Whether the answer is JSON, so that an `Accept` field that excludes it is refused.
    let answersJSON: Bool
    let preconditions: Preconditions
    /// Whether the handler may read the store before its answer, or before a write.
    let mayRead: Bool
    /// Whether it begins with a read of the job that the path names, and reads little else.
    let readsJob: Bool
    let repetition: Repetition
    /// The announcement that the route will go; nil for one that stays.
    let deprecation: Deprecation?
    /// Takes large bodies as they arrive, up to the configured size; nil takes small ones as a whole.
    let makeSink: SinkMaker?
    let handler: Handler

    /// - Parameters:
    ///   - isSubmission: whether a token that may only submit is enough, too.
    ///   - preconditions: nil compares those of reads and refuses those of changes.
    ///   - repetition: nil is harmless, except for POST.
    init(
        _ method: HTTPMethod, _ pattern: String, scope: AccessScope?, isSubmission: Bool = false,
        isForOperators: Bool = false,
        bodyBytesMax: Int = 0,
        makesWork: Bool = false, answersJSON: Bool = true, preconditions: Preconditions? = nil,
        mayRead: Bool = true, readsJob: Bool = false, repetition: Repetition? = nil,
        makeSink: SinkMaker? = nil, deprecation: Deprecation? = nil, handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = RoutePattern(pattern)
        self.scope = scope
        scopes = (scope.map { [$0] } ?? []) + (isSubmission ? [.submit] : [])
        self.isForOperators = isForOperators
        self.bodyBytesMax = bodyBytesMax
        self.makesWork = makesWork
        self.answersJSON = answersJSON
        self.preconditions = preconditions ?? (method == .get ? .ofAnswer : .refused)
        self.mayRead = mayRead && scope != nil
        self.readsJob = readsJob
        self.repetition = repetition ?? (method == .post ? .unknown : .isHarmless)
        self.makeSink = makeSink
        self.deprecation = deprecation
        self.handler = handler
    }
}
