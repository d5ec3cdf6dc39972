/// Where a named permission stands.
public enum GrantStatus: String, Sendable, Hashable, CaseIterable {
    /// Nobody has decided.
    case undetermined
    /// It is given, for everything or for some scopes.
    case granted
    /// It is refused.
    case denied
    /// It was given, and its time is over: it is asked for again.
    case expired
    /// There is no such thing here, so that asking is of no use.
    case unavailable

    /// Whether somebody has to decide.
    public var isOpen: Bool { self == .undetermined || self == .expired }
}

/// What is known about a named permission.
public struct GrantStanding: Sendable, Hashable {
    /// What was decided; never `expired`, which time brings about.
    public var decided: GrantStatus
    /// What it is granted for; empty is everything.
    public var scopes: [String]
    /// When it ends; nil is never.
    public var expiresAt: Timestamp?

    /// What is known.
    public init(decided: GrantStatus, scopes: [String] = [], expiresAt: Timestamp? = nil) {
        self.decided = decided
        self.scopes = scopes
        self.expiresAt = expiresAt
    }

    /// Where it stands at this moment.
    public func status(at now: Timestamp) -> GrantStatus {
        if decided == .granted, let expiresAt, expiresAt <= now { return .expired }
        return decided
    }
}

/// Where named permissions are kept that people decide about. Whoever keeps one also wakes the jobs that wait for it.
public protocol GrantBook: Sendable {
    /// What is known about a permission. Only looks.
    func standing(of name: String) async throws -> GrantStanding

    /// Asks people for a permission, unless that was done before or they have decided; what is known then. There is
    /// one request for each permission, whoever asks.
    /// - Parameters:
    ///   - scopes: what for; empty is everything.
    ///   - job: who asks.
    func request(_ name: String, scopes: Set<String>, for job: String) async throws -> GrantStanding
}
