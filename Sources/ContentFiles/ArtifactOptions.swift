package import JobKit
import JobStore

/// The options for content files.
package struct ArtifactOptions: Sendable {
    /// Creates a SHA-256.
    package var makeDigest: @Sendable () -> any RunningDigest
    /// The maximum size of content that stays in memory and in the store. Default 256 KiB.
    package var inlineBytesMax = 256 << 10
    /// The space that content leaves free. A store with a log on the same disk puts its own here.
    package var reserve = DiskReserve()

    /// The defaults, with this SHA-256.
    package init(makeDigest: @escaping @Sendable () -> any RunningDigest) { self.makeDigest = makeDigest }
}

/// Settings of content that servers share.
package struct SharedArtifactOptions: Sendable {
    /// The directory on this machine for content in work.
    package var path: String
    package var files: ArtifactOptions
    /// The shared place.
    package var backend: any ContentBackend
    /// For how long content that no job uses stays, from its last upload on. Default 24 h.
    package var grace = Duration.seconds(86_400)

    package init(path: String, files: ArtifactOptions, backend: any ContentBackend) {
        self.path = path
        self.files = files
        self.backend = backend
    }
}
