/// The status of a grant.
package enum GrantStatus: String, Sendable, Hashable, CaseIterable {
    case undetermined
    /// Granted, for all or some scopes.
    case granted
    case denied
    /// Granted and expired: it is requested again.
    case expired
    /// Not available, so that a request is pointless.
    case unavailable

    /// Whether a decision is needed.
    package var isOpen: Bool { self == .undetermined || self == .expired }
}

/// The stored part of a grant that conditions evaluate.
package struct GrantStanding: Sendable, Hashable {
    /// The decision; never `expired`, which follows from the time.
    package var decided: GrantStatus
    /// The scopes that it is granted for; empty means all.
    package var scopes: [String]
    /// The expiry; nil means never.
    package var expiresAt: Timestamp?

    /// The state of the grant.
    package init(decided: GrantStatus, scopes: [String] = [], expiresAt: Timestamp? = nil) {
        self.decided = decided
        self.scopes = scopes
        self.expiresAt = expiresAt
    }

    /// The status at this time.
    package func status(at now: Timestamp) -> GrantStatus {
        if decided == .granted, let expiresAt, expiresAt <= now { return .expired }
        return decided
    }
}

/// Keeps grants, and wakes the jobs that wait for one.
package protocol GrantBook: Sendable {
    /// The state of a grant. Without side effects.
    func standing(of name: String) async throws -> GrantStanding

    /// Requests a grant, unless it was requested or decided before, and returns its state. There is one request per
    /// grant, for all jobs.
    /// - Parameters:
    ///   - scopes: the requested scopes; empty means all.
    ///   - job: the requesting job.
    func request(_ name: String, scopes: Set<String>, for job: String) async throws -> GrantStanding
}
