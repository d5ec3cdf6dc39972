/// A digest of streamed content. Never used concurrently.
package protocol RunningDigest: AnyObject, Sendable {
    func update(_ bytes: Span<UInt8>)

    /// The digest of everything taken so far, as bytes. Once; nothing is taken after it.
    func finish() -> [UInt8]
}
