package import JobKit

/// A request for a grant that is undecided.
package struct GrantRequest: Sendable, Hashable {
    /// The job that requests it.
    package var job: JobID
    /// The scope; nil is everything.
    package var scope: String?
    /// The time of the request.
    package var at: Timestamp

    /// A request.
    package init(job: JobID, scope: String?, at: Timestamp) {
        self.job = job
        self.scope = scope
        self.at = at
    }

    /// The key under which jobs are woken that wait for the grant `name`.
    package static func wakeKey(_ name: String) -> String { wakePrefix + name }

    /// The name of the grant in a wake key; nil for other wake keys.
    package static func name(wakeKey: String) -> String? {
        wakeKey.utf8.starts(with: wakePrefix.utf8) ? String(wakeKey.dropFirst(wakePrefix.count)) : nil
    }

    private static let wakePrefix = "grant:"
}
