package import JobKit

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
    package static func name(wakeKey: String) -> String? {
        wakeKey.utf8.starts(with: wakePrefix.utf8) ? String(wakeKey.dropFirst(wakePrefix.count)) : nil
    }

    private static let wakePrefix = "grant:"
}
