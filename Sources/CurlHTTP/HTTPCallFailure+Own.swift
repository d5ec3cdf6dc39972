import HTTPMessage

/// Failures that are decided before or after a transfer.
extension HTTPCallFailure {
    /// The task was cancelled, or the client closed, before anything was sent.
    static func cancelledBefore(_ call: CurlCall) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "cancelled.transport",
            detail: "The call to \(call.target.description) was cancelled before it began.",
            phase: .line, delivery: .notSent, exchange: call.exchange(at: .now))
    }

    /// The attempt ended while the call waited for one of the connections that its host may have.
    static func endedInLine(_ call: CurlCall, most: Int) -> HTTPCallFailure {
        let place = call.target.description
        let limit = FailureTable.text(call.request.attemptTimeout)
        return HTTPCallFailure(
            code: "timeout.attempt",
            detail: "The call to \(place) was still in line for a connection after \(limit); calls have "
                + "\(most) \(most == 1 ? "connection" : "connections") at most to one host.",
            suggestion: "Raise the timeout, or make fewer calls at the same time.",
            phase: .line, delivery: .notSent, exchange: call.exchange(at: .now))
    }

    /// libcurl could not create a handle.
    static func outOfMemory(_ target: CallTarget) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "internal.transport",
            detail: "There is no memory left for the call to \(target.description).",
            phase: .dns, delivery: .notSent)
    }

    /// The redirects exceed their limit.
    static func tooManyRedirects(_ answer: HTTPCallAnswer, _ target: CallTarget, max: Int) -> HTTPCallFailure
    {
        HTTPCallFailure(
            code: "http.redirect",
            detail: "\(target.description) answered \(answer.status) after \(max) redirects were followed.",
            suggestion:
                "Ask for the final URL directly, or allow more redirects if they do not go in a circle.",
            phase: .receive, delivery: .answered, status: answer.status, exchange: answer.exchange)
    }

    /// The redirect leads to another host, which the call forbids.
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

    /// The redirect asks for confidential content to be sent elsewhere.
    static func confidentialRedirect(
        _ answer: HTTPCallAnswer, _ from: CallTarget, to target: CallTarget
    ) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "http.redirect",
            detail: "\(from.description) answered \(answer.status) and asks for the content to be sent to "
                + "\(target.description). The content holds a secret, which is not passed on to another origin.",
            suggestion:
                "Call that origin directly. Without a connection, redirects.keep_auth passes secrets on.",
            phase: .receive, delivery: .answered, status: answer.status, exchange: answer.exchange)
    }

    /// The redirect leads to an invalid URL.
    static func badRedirect(
        _ answer: HTTPCallAnswer, _ target: CallTarget, _ location: String, _ fault: URLPartsError
    ) -> HTTPCallFailure {
        let place = CallCheck.excerpt(location)
        return HTTPCallFailure(
            code: "http.redirect",
            detail:
                "\(target.description) answered \(answer.status) with a Location that cannot be followed: \(place). "
                + fault.detail,
            suggestion:
                "Call the place that it means directly, or do not follow redirects and read the field.",
            phase: .receive, delivery: .answered, status: answer.status, exchange: answer.exchange)
    }

    /// Only the proxy itself asks for credentials with this status (RFC 9110 §15.5.8); it forwarded nothing.
    static func proxyWantsCredentials(_ answer: HTTPCallAnswer, _ proxy: ProxyPlace?) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "proxy.auth", detail: proxyAuthDetail(proxy), suggestion: proxyAuthSuggestion,
            phase: .connect, delivery: .notSent, status: answer.status, exchange: answer.exchange)
    }

    static func proxyAuthDetail(_ proxy: ProxyPlace?) -> String {
        let place = proxy?.target.description ?? "unknown"
        return "The proxy \(place) wants \(proxy?.user == nil ? "" : "other ")credentials."
    }

    static let proxyAuthSuggestion = "Give the proxy's user name and password with the proxy."

    /// The proxy would connect to an address that must not be called.
    static func blockedBehindProxy(
        _ target: CallTarget, _ address: IPAddress, _ words: EgressWords
    ) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "egress.blocked",
            detail:
                "\(target.host) is at \(address), which \(words.caller) may not call, not even through a proxy.",
            suggestion: words.suggestion(address.description, isIPv6: !address.isIPv4), phase: .connect,
            delivery: .notSent)
    }

    /// A certificate without its key, or a key without its certificate.
    static var halfIdentity: HTTPCallFailure {
        HTTPCallFailure(
            code: "tls.client_certificate", detail: "A client certificate and its key belong together.",
            suggestion: "Give both, as PEM.", phase: .tls, delivery: .notSent)
    }

    /// A pin whose name is not a host and port.
    static func badPin(_ place: String) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "http.url", detail: "\(CallCheck.excerpt(place)) is no host and port to pin addresses for.",
            suggestion: "Write it as example.com:443, with at least one address.", phase: .dns,
            delivery: .notSent)
    }

    /// A source that gave less than it announced.
    static var shortSource: HTTPCallFailure {
        HTTPCallFailure(
            code: "body.source", detail: "The content to send ended before its announced length.",
            phase: .send, delivery: .sentUnknown)
    }
}
