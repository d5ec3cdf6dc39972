package import JobKit

/// Keeps the changes by people.
package protocol AuditStore: Sendable {
    /// Adds a record of a change that is not made in the store.
    func add(_ record: AuditRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Removes up to `limit` (1…10,000) records from before `time`. The reply is their number.
    func removeAudits(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)
}

/// Reads of the changes by people.
package protocol AuditReads: Sendable {
    /// Up to `limit` (1…10,000) records before `number` (nil for all), the newest first.
    /// - Parameter tenant: whose changes; nil is everything.
    func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(JobStoreError) -> [AuditRecord]
}

extension AuditReads {
    /// Up to `limit` (1…10,000) records before `number` (nil for all), the newest first.
    package func audits(before number: Int64?, limit: Int) throws(JobStoreError) -> [AuditRecord] {
        try audits(of: nil, before: number, limit: limit)
    }
}
