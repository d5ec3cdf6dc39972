package import JobKit

/// An empty store that becomes a copy. From `begin` to `finish` no server opens it.
package protocol CopyTarget: AnyObject {
    /// Whether the store keeps the lines for exclusive keys; see `SharedStore`.
    var keepsKeyLines: Bool { get }

    /// Marks the store as unfinished, durably.
    /// - Parameter anew: whether to remove what a copy left that was interrupted.
    /// - Throws: `.unavailable` when it is not empty, in use, or of another version.
    func begin(anew: Bool) throws(JobStoreError)

    func add(_ jobs: [CopiedJob]) throws(JobStoreError)

    func add(_ rows: [[StoredValue]], to table: StoredTable) throws(JobStoreError)

    /// Notes content that is stored beside the jobs.
    func note(_ contents: [ArtifactReference]) throws(JobStoreError)

    /// The number of jobs that are stored.
    func jobCount() throws(JobStoreError) -> Int

    /// The number of rows of a table that are stored.
    func count(of table: StoredTable) throws(JobStoreError) -> Int

    /// Stores what follows from the rest, and lets servers open the store.
    func finish() throws(JobStoreError)
}
