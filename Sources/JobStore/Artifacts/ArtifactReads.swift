package import JobKit

/// Reads of the artifacts of jobs.
package protocol ArtifactReads: Sendable {
    /// The artifacts of a job, in the order of their creation.
    func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse]

    /// The bytes of a tenant's uploads and of the artifacts of all its jobs, those that several jobs use once for each.
    func artifactBytes(of tenant: Tenant) throws(JobStoreError) -> Int64
}
