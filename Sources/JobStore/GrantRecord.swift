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
    func isAsked(at now: Timestamp) -> Bool { request != nil && status(at: now).isOpen }

    /// What a condition sees of it.
    package var standing: GrantStanding {
        GrantStanding(decided: decided, scopes: scopes, expiresAt: expiresAt)
    }
}

/// A wish for a grant that nobody has decided about.
package struct GrantRequest: Sendable, Hashable {
    /// The job that asked.
    package var job: JobID
    /// What for; nil is everything.
    package var scope: String?
    /// When.
    package var at: Timestamp

    /// A wish.
    package init(job: JobID, scope: String?, at: Timestamp) {
        self.job = job
        self.scope = scope
        self.at = at
    }

    /// The key under which jobs are woken that wait for the grant `name`.
    package static func wakeKey(_ name: String) -> String { wakePrefix + name }

    /// The grant that a wake key is about; nil when it is about something else.
    static func name(wakeKey: String) -> String? {
        wakeKey.utf8.starts(with: wakePrefix.utf8) ? String(wakeKey.dropFirst(wakePrefix.count)) : nil
    }

    private static let wakePrefix = "grant:"
}

/// What became of a decision about a grant.
package struct GrantReceipt: Sendable {
    /// The grant after it.
    package var grant: GrantRecord
    /// Whether there was none of this name.
    package var isNew: Bool
    /// How many jobs were woken by it.
    package var woken: Int
}

extension JobStoreError {
    /// There is no such grant.
    static func noGrant(_ name: String) -> JobStoreError {
        JobStoreError(.notFound, "There is no grant \(name), and no job asks for it.")
    }

    /// Too many grants.
    static func grantsFull(_ limit: Int) -> JobStoreError {
        JobStoreError(.grantsFull, "There are \(limit) grants, which is the limit. Delete some first.")
    }
}
