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
