package import JobKit
import JobStore

/// The options for content in files.
package struct ArtifactOptions: Sendable {
    /// Makes a SHA-256.
    package var makeDigest: @Sendable () -> any RunningDigest
    /// Content up to this size stays in memory and in the store. Default 256 KiB.
    package var inlineBytesMax = 256 << 10
    /// Bytes that may be written into files; nil is as many as the disk holds. For tests of a full disk.
    package var spaceBytesMax: Int?

    /// The defaults, with this SHA-256.
    package init(makeDigest: @escaping @Sendable () -> any RunningDigest) { self.makeDigest = makeDigest }
}
