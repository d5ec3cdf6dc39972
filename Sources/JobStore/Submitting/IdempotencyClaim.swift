package import JobKit

/// An idempotency key with the digest of its request.
package struct IdempotencyClaim: Sendable, Hashable {
    /// The key, prefixed by the submitter's name so that the keys of two submitters never collide.
    package var key: String
    /// A digest of the request; a different one under the same key is a mistake of the client.
    package var fingerprint: [UInt8]
    /// The expiry of the key.
    package var expiresAt: Timestamp

    package init(key: String, fingerprint: [UInt8], expiresAt: Timestamp) {
        self.key = key
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
    }
}
