package import JobKit

/// A named permission that the server holds.
package struct GrantRecord: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// What was decided; `undetermined` until somebody does. Never `expired`: time brings that about.
    package var decided = GrantStatus.undetermined
    /// What it is granted for; empty is everything.
    package var scopes: [String] = []
    /// When it ends; nil is never.
    package var expiresAt: Timestamp?
    /// Why, in the words of who decided.
    package var reason: String?
    /// When somebody last decided.
    package var updatedAt: Timestamp?
    /// Who did.
    package var updatedBy: String?
    /// Who asked for it first since it was last decided; nil when nobody did.
    package var request: GrantRequest?

    /// A grant of which nothing is known.
    package init(name: String) { self.name = name }

    /// Where it stands.
    package func status(at now: Timestamp) -> GrantStatus { standing.status(at: now) }

    /// Whether somebody has asked for it and nobody has decided.
    package func isAsked(at now: Timestamp) -> Bool { request != nil && status(at: now).isOpen }

    /// What a condition sees of it.
    package var standing: GrantStanding {
        GrantStanding(decided: decided, scopes: scopes, expiresAt: expiresAt)
    }
}
