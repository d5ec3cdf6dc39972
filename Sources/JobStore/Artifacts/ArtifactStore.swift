package import JobKit

/// Keeps content that is too large for the records of jobs.
package protocol ArtifactStore: Sendable {
    /// Where such content is kept; nil when there is no such place.
    ///
    /// A job whose operation has content there as its result says so in the update that brings the result; the content
    /// stays as long as some job has it.
    var artifacts: (any ArtifactPlace)? { get }
}
