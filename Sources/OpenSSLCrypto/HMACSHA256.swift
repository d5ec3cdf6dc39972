import COpenSSL

/// The keyed digest HMAC-SHA-256 (RFC 2104).
package enum HMACSHA256 {
    /// The 32 bytes of the digest of `message` under `key`.
    package static func digest(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        unsafe KeyedHash.digest(of: message, key: key, EVP_sha256())
    }
}

/// A keyed digest (RFC 2104).
enum KeyedHash {
    /// The bytes of the digest of `message` under `key`.
    static func digest(of message: [UInt8], key: [UInt8], _ kind: OpaquePointer?) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        // OpenSSL needs an address even for an empty key.
        let bytes = key.isEmpty ? [0] : key
        let made = unsafe HMAC(
            kind, bytes, CInt(clamping: key.count), message, message.count, &digest, &count)
        precondition(unsafe made != nil && count > 0, "OpenSSL cannot compute this HMAC")
        return Array(digest.prefix(Int(count)))
    }
}
