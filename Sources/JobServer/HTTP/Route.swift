import HTTPMessage

/// One method on one path. A class, since requests in flight hold on to theirs.
final class Route: Sendable {
    /// What an endpoint does with a request.
    typealias Handler = @Sendable (RequestContext) throws(Problem) -> Void

    /// The method.
    let method: HTTPMethod
    /// The path.
    let pattern: RoutePattern
    /// What the token must permit; nil asks for no token.
    let scope: AccessScope?
    /// The largest body, in bytes.
    let bodyBytesMax: Int
    /// Whether it makes new work, which is refused when there is too much.
    let makesWork: Bool
    /// Whether the answer is JSON, so that an `Accept` field that excludes it is refused.
    let answersJSON: Bool
    /// What to do.
    let handler: Handler

    /// A route.
    init(
        _ method: HTTPMethod, _ pattern: String, scope: AccessScope?, bodyBytesMax: Int = 0,
        makesWork: Bool = false, answersJSON: Bool = true, handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = RoutePattern(pattern)
        self.scope = scope
        self.bodyBytesMax = bodyBytesMax
        self.makesWork = makesWork
        self.answersJSON = answersJSON
        self.handler = handler
    }
}
