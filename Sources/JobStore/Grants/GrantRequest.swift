package import JobKit

/// A request for an undecided grant.
package struct GrantRequest: Sendable, Hashable {
    /// The job that requests the grant.
    package var job: JobID
    /// The requested scope; nil means all.
    package var scope: String?
    /// The time of the request.
    package var at: Timestamp

    package init(job: JobID, scope: String?, at: Timestamp) {
        self.job = job
        self.scope = scope
        self.at = at
    }

    /// The wake key of jobs that wait for the grant `name`.
    package static func wakeKey(_ name: String) -> String { wakePrefix + name }

    /// The name of the grant in a wake key; nil for other wake keys.
    package static func name(wakeKey: String) -> String? {
        wakeKey.utf8.starts(with: wakePrefix.utf8) ? String(wakeKey.dropFirst(wakePrefix.count)) : nil
    }

    /// The beginning of the wake keys of grants, and the first text behind all of them.
    package static let (wakePrefix, wakeEnd) = ("grant:", "grant;")
}

/// The effect of a decision about a grant.
package struct GrantReceipt: Sendable {
    /// The grant after the decision.
    package var grant: GrantRecord
    /// Whether it is the first decision.
    package var isNew: Bool
    /// Whether the last decision said the same.
    package var changedNothing = false
    /// The jobs that it woke.
    package var wake: WakeReceipt

    package init(grant: GrantRecord, isNew: Bool, wake: WakeReceipt) {
        self.grant = grant
        self.isNew = isNew
        self.wake = wake
    }
}
