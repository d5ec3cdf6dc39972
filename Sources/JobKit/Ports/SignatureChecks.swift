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
