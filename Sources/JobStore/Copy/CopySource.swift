package import JobKit

/// A store at rest that a copy is made of.
package protocol CopySource: AnyObject {
    /// The store for people.
    var name: String { get }

    /// The number of jobs.
    func jobCount() throws(JobStoreError) -> Int

    /// Begins to read all jobs, those that came first before others that may run.
    func beginJobs() throws(JobStoreError)

    /// The next jobs, few enough to be kept in memory; empty at the end.
    func nextJobs() throws(JobStoreError) -> [CopiedJob]

    /// Begins to read a table.
    func begin(_ table: StoredTable) throws(JobStoreError)

    /// The next rows of the table, few enough to be kept in memory; empty at the end.
    func nextRows() throws(JobStoreError) -> [[StoredValue]]

    /// The next content that jobs use, in the order of the digests.
    func contents(after sha256: String, limit: Int) throws(JobStoreError) -> [ArtifactReference]

    /// Ends the reading.
    /// - Throws: `.unavailable` when a server used the store meanwhile.
    func end() throws(JobStoreError)
}
