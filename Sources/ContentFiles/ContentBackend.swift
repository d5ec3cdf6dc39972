package import JobKit

/// The place where several servers keep content, named by its SHA-256.
package protocol ContentBackend: Sendable {
    /// The address for texts and logs; without credentials.
    var address: String { get }

    /// A good size for one read, in bytes.
    var pieceBytes: Int { get }

    /// Stores the file at `path` as this artifact, replacing existing content. Returns when it is durable.
    /// - Throws: `.full`, or `.unavailable` with a text that says what to do.
    func put(_ artifact: ArtifactReference, from path: String) async throws(ArtifactFailure)

    /// Reads a range within the content of an artifact.
    /// - Throws: `.missing` when it does not exist, `.unavailable`.
    func bytes(
        _ range: Range<Int>, of artifact: ArtifactReference
    ) async throws(ArtifactFailure) -> [UInt8]

    /// Removes content; does nothing when it does not exist.
    func remove(_ sha256: String) async throws(ArtifactFailure)

    /// Tests that content can be written, read and removed.
    func check() async throws(ArtifactFailure)
}
