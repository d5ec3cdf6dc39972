package import JobKit

/// Reads of grants and of the jobs that wait for them.
package protocol GrantReads: Sendable {
    /// The grant, or nil when it was neither decided nor requested.
    func grant(_ name: String) throws(JobStoreError) -> GrantRecord?

    /// Up to `limit` (1…10,000) grants after the name `after` (empty for all), by name.
    func grants(after: String, limit: Int) throws(JobStoreError) -> [GrantRecord]

    /// Up to `limit` (1…10,000) suspended jobs with `key` among their wake keys, oldest first.
    func waiting(for key: String, limit: Int) throws(JobStoreError) -> [JobID]
}
