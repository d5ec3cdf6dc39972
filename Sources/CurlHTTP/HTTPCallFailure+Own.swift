import HTTPMessage

/// Failures that are decided here, before or after a transfer.
extension HTTPCallFailure {
    /// The task was cancelled, or the client closed, before anything was sent.
    static func cancelledBefore(_ target: CallTarget) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "cancelled.transport",
            detail: "The call to \(target.description) was cancelled before it began.",
            phase: .dns, delivery: .notSent)
    }

    /// libcurl gave no handle.
    static func outOfMemory(_ target: CallTarget) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "internal.transport",
            detail: "There is no memory left for the call to \(target.description).",
            phase: .dns, delivery: .notSent)
    }

    /// The answers point on and on.
    static func tooManyRedirects(_ answer: HTTPCallAnswer, _ target: CallTarget, max: Int) -> HTTPCallFailure
    {
        HTTPCallFailure(
            code: "http.redirect",
            detail: "\(target.description) answered \(answer.status) after \(max) redirects were followed.",
            suggestion:
                "Ask for the final URL directly, or allow more redirects if they do not go in a circle.",
            phase: .receive, delivery: .answered, status: answer.status, exchange: answer.exchange)
    }

    /// The answer points to another host, and the call stays on its own.
    static func foreignRedirect(
        _ answer: HTTPCallAnswer, _ from: CallTarget, to target: CallTarget
    ) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "http.redirect",
            detail: "\(from.description) answered \(answer.status) and points to \(target.description), "
                + "another host, which this call does not follow.",
            suggestion: "Call that host directly, or allow redirects to other hosts if it can be trusted.",
            phase: .receive, delivery: .answered, status: answer.status, exchange: answer.exchange)
    }

    /// The answer points to something that is no URL for us.
    static func badRedirect(
        _ answer: HTTPCallAnswer, _ target: CallTarget, _ location: String
    ) -> HTTPCallFailure {
        let place = CallCheck.excerpt(location)
        return HTTPCallFailure(
            code: "http.redirect",
            detail:
                "\(target.description) answered \(answer.status) with an unusable Location: \(place).",
            suggestion: "Only http and https URLs without a user name are followed.",
            phase: .receive, delivery: .answered, status: answer.status, exchange: answer.exchange)
    }
}
