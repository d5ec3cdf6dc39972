/// The digests for signatures. JobKit implements none itself.
package protocol MessageDigests: Sendable {
    /// The 32 bytes of the SHA-256 digest (FIPS 180-4).
    func sha256(_ message: [UInt8]) -> [UInt8]

    /// The 32 bytes of the HMAC with SHA-256 (RFC 2104). A key of any length, also none.
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8]
}

/// A digest of streamed content. Never used concurrently.
package protocol RunningDigest: AnyObject, Sendable {
    func update(_ bytes: Span<UInt8>)

    /// The digest of everything taken so far, as bytes. Once; nothing is taken after it.
    func finish() -> [UInt8]
}

/// A digest that signatures are made with.
package enum KeyedDigest: String, Sendable, Hashable, CaseIterable {
    case sha1, sha256, sha512
}

/// The means to verify signatures of requests from outside. JobKit implements none itself.
package protocol SignatureChecks: MessageDigests {
    /// The HMAC with a digest (RFC 2104). A key of any length, also none.
    func hmac(_ digest: KeyedDigest, key: [UInt8], message: [UInt8]) -> [UInt8]

    /// Whether an Ed25519 signature (RFC 8032) of `message` is that of the public key `key`.
    func isEd25519(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool

    /// Whether both hold the same bytes, in a time that does not depend on where they differ.
    func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool
}
