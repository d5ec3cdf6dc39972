package import JobKit

/// Keeps content that is too large for job records.
package protocol ArtifactStore: Sendable {
    /// The place of such content; nil when the engine has none.
    ///
    /// The update that brings a result with an artifact registers its use; the content stays as long as a job uses it.
    var artifacts: (any ArtifactPlace)? { get }

    /// Removes some content that no job uses any more, if the engine does not do that by itself.
    /// - Returns: how much was removed; 0 when nothing is left.
    func removeUnusedArtifacts() async throws(JobStoreError) -> Int
}

extension ArtifactStore {
    package func removeUnusedArtifacts() async throws(JobStoreError) -> Int { 0 }
}

/// Reads of the artifacts of jobs.
package protocol ArtifactReads: Sendable {
    /// The artifacts of a job, in the order of their creation.
    func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse]

    /// The bytes of a tenant's uploads and of the artifacts of all its jobs, those that several jobs use once for each.
    func artifactBytes(of tenant: Tenant) throws(JobStoreError) -> Int64
}

/// Records which content several servers keep in a shared place, so that none removes content that another one is about
/// to use.
///
/// Content is *held* before it is stored there. Held content that no job has used for the grace period is *condemned*
/// in one transaction; from then on until it is *forgotten*, after its removal, it cannot be held.
package protocol ContentLedger: Sendable {
    /// Holds content, anew if it was held already. Returns when that is committed.
    /// - Returns: false while the content is being removed: try again soon.
    func hold(_ sha256: String) async throws(JobStoreError) -> Bool

    /// Condemns content that no job uses and that was held longer than `grace` ago, and again that which was condemned
    /// longer than `patience` ago and never forgotten, since its remover died.
    /// - Returns: digests, at most `limit`.
    func condemn(
        unusedFor grace: Duration, patience: Duration, limit: Int
    ) async throws(JobStoreError) -> [String]

    /// Those of the owners of unfinished content, by the ids of their jobs, that will not resume it: their jobs are
    /// erased or succeeded.
    func finished(_ owners: [String]) async throws(JobStoreError) -> [String]

    /// Forgets condemned content, which is removed.
    func forget(_ digests: [String]) async throws(JobStoreError)
}
