package import JobKit

/// A named permission that the server holds.
package struct GrantRecord: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// The decision; `undetermined` before there is one. Never `expired`: time brings that about.
    package var decided = GrantStatus.undetermined
    /// The scopes it is granted for; empty is everything.
    package var scopes: [String] = []
    /// Its end; nil is never.
    package var expiresAt: Timestamp?
    /// The reason given with the decision.
    package var reason: String?
    /// The time of the last decision.
    package var updatedAt: Timestamp?
    /// The person who decided.
    package var updatedBy: String?
    /// The first request since the last decision; nil without one.
    package var request: GrantRequest?

    /// An undetermined grant.
    package init(name: String) { self.name = name }

    /// Its status at a time.
    package func status(at now: Timestamp) -> GrantStatus { standing.status(at: now) }

    /// Whether it is requested and undecided.
    package func isAsked(at now: Timestamp) -> Bool { request != nil && status(at: now).isOpen }

    /// Its standing for conditions.
    package var standing: GrantStanding {
        GrantStanding(decided: decided, scopes: scopes, expiresAt: expiresAt)
    }
}
