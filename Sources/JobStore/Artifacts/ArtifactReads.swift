package import JobKit

/// Reads of the artifacts of jobs.
package protocol ArtifactReads: Sendable {
    /// The artifacts of a job, in the order of their creation.
    func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse]
}
