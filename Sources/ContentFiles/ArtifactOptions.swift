package import JobKit
import JobStore

/// The options for content files.
package struct ArtifactOptions: Sendable {
    /// Creates a SHA-256.
    package var makeDigest: @Sendable () -> any RunningDigest
    /// The maximum size of content that stays in memory and in the store. Default 256 KiB.
    package var inlineBytesMax = 256 << 10
    /// The maximum total size of content files; nil means no limit. For tests of a full disk.
    package var spaceBytesMax: Int?

    /// The defaults, with this SHA-256.
    package init(makeDigest: @escaping @Sendable () -> any RunningDigest) { self.makeDigest = makeDigest }
}
