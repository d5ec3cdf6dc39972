/// The permitted targets of a call's redirects.
public enum HTTPRedirectScope: Sendable, Hashable, CaseIterable {
    /// Anywhere; credentials are dropped for another scheme, host or port.
    case anywhere
    /// Anywhere, with credentials.
    case anywhereWithCredentials
    /// The same host only, on any scheme and port. Any other ends the call with `http.redirect`.
    case sameHost
}
