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
