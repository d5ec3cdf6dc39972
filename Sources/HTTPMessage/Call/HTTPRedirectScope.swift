/// Where redirects of a call may lead.
public enum HTTPRedirectScope: Sendable, Hashable, CaseIterable {
    /// Anywhere; credentials stay behind on another scheme, host or port.
    case anywhere
    /// Anywhere, and credentials go along.
    case anywhereWithCredentials
    /// To the same host only, of which scheme and port may change. Any other ends the call with `http.redirect`.
    case sameHost
}
