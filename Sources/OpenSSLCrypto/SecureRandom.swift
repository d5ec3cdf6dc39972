import COpenSSL

/// Cryptographically secure random bytes.
package enum SecureRandom {
    /// `count` (1…1,024) random bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        precondition((1...1_024).contains(count))
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = unsafe RAND_bytes(&bytes, CInt(count))
        precondition(filled == 1, "OpenSSL has no randomness")
        return bytes
    }
}
