import COpenSSL
import JobKit

/// The keyed digest HMAC-SHA-256 (RFC 2104).
package enum HMACSHA256 {
    /// The 32 bytes of the digest of `message` under `key`.
    package static func digest(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        // OpenSSL needs an address even for an empty key.
        let bytes = key.isEmpty ? [0] : key
        let made = unsafe HMAC(
            EVP_sha256(), bytes, CInt(clamping: key.count), message, message.count, &digest, &count)
        precondition(unsafe made != nil && count == 32, "OpenSSL cannot compute HMAC with SHA-256")
        return digest
    }
}

/// The digests for request signatures, by OpenSSL.
package struct OpenSSLDigests: MessageDigests {
    package init() {}

    package func sha256(_ message: [UInt8]) -> [UInt8] { SHA256.digest(of: message) }

    package func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        HMACSHA256.digest(of: message, key: key)
    }
}
