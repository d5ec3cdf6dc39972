/// The digests for signatures. JobKit implements none itself.
package protocol MessageDigests: Sendable {
    /// The 32 bytes of the SHA-256 digest (FIPS 180-4).
    func sha256(_ message: [UInt8]) -> [UInt8]

    /// The 32 bytes of the HMAC with SHA-256 (RFC 2104). A key of any length, also none.
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8]
}
