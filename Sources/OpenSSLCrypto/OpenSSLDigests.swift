import COpenSSL
package import JobKit

/// The digests for signatures, and what verifies them, by OpenSSL.
package struct OpenSSLDigests: SignatureChecks {
    package init() {}

    package func sha256(_ message: [UInt8]) -> [UInt8] { SHA256.digest(of: message) }

    package func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        HMACSHA256.digest(of: message, key: key)
    }

    package func hmac(_ digest: KeyedDigest, key: [UInt8], message: [UInt8]) -> [UInt8] {
        switch digest {
        case .sha1: unsafe KeyedHash.digest(of: message, key: key, EVP_sha1())
        case .sha256: HMACSHA256.digest(of: message, key: key)
        case .sha512: unsafe KeyedHash.digest(of: message, key: key, EVP_sha512())
        }
    }

    package func isEd25519(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        Ed25519.verifies(signature, of: message, by: key)
    }

    package func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { ConstantTime.equals(left, right) }
}
