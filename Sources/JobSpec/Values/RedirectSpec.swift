internal import HTTPMessage

/// The redirects that a call follows.
package struct RedirectSpec: Sendable, Hashable {
    /// The number that is followed, 0…20; nil takes 5 for GET and HEAD, 0 for everything else.
    package var follow: Int?
    /// Whether only redirects to the same host are followed. Others end as `http.redirect`. Default false.
    package var sameHostOnly = false
    /// Whether credentials are sent on to other hosts, too. Default false.
    package var keepAuth = false

    /// The default of the method.
    package init() {}
}

extension RedirectSpec {
    /// Applies the settings to `call`.
    func apply(to call: inout HTTPCall) {
        call.redirectsMax = follow ?? (call.method == "GET" || call.method == "HEAD" ? 5 : 0)
        if sameHostOnly { call.redirectScope = .sameHost }
        if keepAuth { call.redirectScope = .anywhereWithCredentials }
    }
}
