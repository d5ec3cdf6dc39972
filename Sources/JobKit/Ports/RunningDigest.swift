/// A digest of content that comes piece by piece. One at a time uses it.
public protocol RunningDigest: AnyObject, Sendable {
    /// Takes the next piece.
    func update(_ bytes: Span<UInt8>)

    /// The digest of everything taken so far, as bytes. Once; nothing is taken after it.
    func finish() -> [UInt8]
}
