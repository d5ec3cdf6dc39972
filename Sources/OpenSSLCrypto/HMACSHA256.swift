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

/// The derivation of keys HKDF with SHA-256 (RFC 5869).
package enum HKDFSHA256 {
    private static let blockBytes = 32

    /// `count` (1…8,160) bytes from a secret, which differ for each `info`.
    /// - Parameter salt: a value that need not be secret; empty for none.
    package static func key(
        of count: Int, from secret: [UInt8], salt: [UInt8] = [], info: [UInt8]
    ) -> [UInt8] {
        precondition((1...255 * blockBytes).contains(count))
        let salt = salt.isEmpty ? [UInt8](repeating: 0, count: blockBytes) : salt
        let extracted = HMACSHA256.digest(of: secret, key: salt)
        var block: [UInt8] = []
        var key: [UInt8] = []
        for number in 1...(count + blockBytes - 1) / blockBytes {
            block = HMACSHA256.digest(of: block + info + [UInt8(number)], key: extracted)
            key += block
        }
        return Array(key.prefix(count))
    }
}
