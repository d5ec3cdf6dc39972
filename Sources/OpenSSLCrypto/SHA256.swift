/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The 32 bytes of the digest of `bytes`.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        digest(of: [bytes])
    }

    /// The digest of the concatenation of `parts`.
    package static func digest(of parts: [[UInt8]]) -> [UInt8] {
        var context = DigestContext()
        for part in parts { context.update(part.span) }
        return context.finish()
    }
}
