package import JobKit

/// An idempotency key and what was asked with it.
package struct IdempotencyClaim: Sendable, Hashable {
    /// The key, with the submitter's name in front so that two submitters never meet.
    package var key: String
    /// A digest of the request; another one under the same key is a mistake of the client.
    package var fingerprint: [UInt8]
    /// When the key is forgotten.
    package var expiresAt: Timestamp

    /// A key.
    package init(key: String, fingerprint: [UInt8], expiresAt: Timestamp) {
        self.key = key
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
    }
}
