package import JobKit

/// A stored grant.
package struct GrantRecord: Sendable, Hashable {
    package var name: String
    /// The decision; `undetermined` before there is one. Never `expired`, which follows from the time.
    package var decided = GrantStatus.undetermined
    /// The scopes that it is granted for; empty means all.
    package var scopes: [String] = []
    /// The expiry; nil means never.
    package var expiresAt: Timestamp?
    /// The reason given with the decision.
    package var reason: String?
    /// The number of decisions since the first one; 0 before there is one.
    package var version: Int64 = 0
    /// The time of the first decision.
    package var createdAt: Timestamp?
    /// The person who decided first.
    package var createdBy: String?
    /// The time of the last decision.
    package var updatedAt: Timestamp?
    /// The person who decided last.
    package var updatedBy: String?
    /// The first request since the last decision; nil without one.
    package var request: GrantRequest?

    /// Creates an undetermined grant.
    package init(name: String) { self.name = name }

    /// The status at a time.
    package func status(at now: Timestamp) -> GrantStatus { standing.status(at: now) }

    /// Whether the grant is requested and undecided.
    package func isAsked(at now: Timestamp) -> Bool { request != nil && status(at: now).isOpen }

    /// Whether the decisions say the same.
    package func decidesLike(_ other: GrantRecord) -> Bool {
        decided == other.decided && scopes == other.scopes && expiresAt == other.expiresAt
            && reason == other.reason
    }

    /// The part of the grant that conditions evaluate.
    package var standing: GrantStanding {
        GrantStanding(decided: decided, scopes: scopes, expiresAt: expiresAt)
    }
}
