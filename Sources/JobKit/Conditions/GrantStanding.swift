/// Where a named permission stands.
public enum GrantStatus: String, Sendable, Hashable, CaseIterable {
    /// Nobody has decided.
    case undetermined
    /// It is given, for everything or for some scopes.
    case granted
    /// It is refused.
    case denied
    /// It was given, and its time is over.
    case expired
    /// There is no such thing here, so that asking is of no use.
    case unavailable
}

/// What is known about a named permission.
public struct GrantStanding: Sendable, Hashable {
    /// Where it stands.
    public var status: GrantStatus
    /// What it is granted for; empty is everything.
    public var scopes: [String]
    /// Why, in the words of who decided.
    public var reason: String?

    /// What is known.
    public init(status: GrantStatus, scopes: [String] = [], reason: String? = nil) {
        self.status = status
        self.scopes = scopes
        self.reason = reason
    }

    /// Whether it is granted for `scope`; nil is everything.
    public func allows(_ scope: String?) -> Bool {
        guard status == .granted else { return false }
        if scopes.isEmpty { return true }
        return scope.map { wanted in scopes.contains { $0.utf8.elementsEqual(wanted.utf8) } } ?? false
    }
}
