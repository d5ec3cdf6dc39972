package import JobKit

/// Reads of jobs as they are now.
package protocol JobReads: Sendable {
    /// The job, or nil.
    func job(_ id: JobID) throws(JobStoreError) -> JobRecord?

    /// The spec's bytes as they were submitted, or nil when the job does not exist.
    func spec(_ id: JobID) throws(JobStoreError) -> [UInt8]?

    /// The root operation's result, or nil.
    func result(_ id: JobID) throws(JobStoreError) -> OperationResult?

    /// The number of jobs that a claim would take before this one, counted up to 10,000; nil when it is not claimable.
    func ahead(of id: JobID) throws(JobStoreError) -> Int?

    /// The jobs before this one in the line for its unique key; nil when there are none, or it has no such key.
    func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine?

    /// One page of jobs.
    func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage
}
