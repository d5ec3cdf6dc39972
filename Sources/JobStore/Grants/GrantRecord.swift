package import JobKit

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

extension GrantRecord: TableRow {
    package static let table = StoredTable(
        "capability",
        [
            "name": .text, "status": .number, "scopes": .text, "expires_at": .number, "reason": .text,
            "updated_at": .number, "updated_by": .text, "requested_at": .number, "requested_by": .id,
            "requested_scope": .text, "version": .number, "created_at": .number, "created_by": .text,
        ])

    package init(_ row: inout RowValues) throws(StoredFormError) {
        self.init(name: row.text())
        let number = row.number()
        guard let status = GrantStatus(stored: number) else {
            throw StoredFormError("the grant \(name) has the unknown status \(number)")
        }
        decided = status
        scopes = row.text().split(separator: " ").map(String.init)
        expiresAt = row.optionalTime()
        reason = row.optionalText()
        updatedAt = row.optionalTime()
        updatedBy = row.optionalText()
        let (at, job, scope) = (row.optionalTime(), row.id(), row.optionalText())
        request = at.map { GrantRequest(job: job, scope: scope, at: $0) }
        version = row.number()
        createdAt = row.optionalTime()
        createdBy = row.optionalText()
    }

    package var values: [StoredValue] {
        [
            .text(name), .number(decided.stored), .text(scopes.joined(separator: " ")), .init(expiresAt),
            .init(reason), .init(updatedAt), .init(updatedBy), .init(request?.at), .init(request?.job),
            .init(request?.scope), .number(version), .init(createdAt), .init(createdBy),
        ]
    }
}

/// Reads of grants and of the jobs that wait for them.
package protocol GrantReads: Sendable {
    /// The grant, or nil when it was neither decided nor requested.
    func grant(_ name: String) throws(JobStoreError) -> GrantRecord?

    /// Up to `limit` (1…10,000) grants after the name `after` (empty for all), by name.
    func grants(after: String, limit: Int) throws(JobStoreError) -> [GrantRecord]

    /// Up to `limit` (1…10,000) suspended jobs with `key` among their wake keys, oldest first.
    func waiting(for key: String, limit: Int) throws(JobStoreError) -> [JobID]
}
