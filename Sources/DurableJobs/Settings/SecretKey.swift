import JobKit
import OpenSSLCrypto

/// The key that protects secrets, from which two are derived: one for encryption and one for fingerprints.
package struct SecretKey: Sendable {
    private let encryption: [UInt8]
    private let fingerprints: [UInt8]

    /// Creates a key from 32 bytes.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 32)
        encryption = HMACSHA256.digest(of: Array("jobserver secrets: encryption".utf8), key: bytes)
        fingerprints = HMACSHA256.digest(of: Array("jobserver secrets: fingerprints".utf8), key: bytes)
    }

    /// Encrypts a secret for the store. The ciphertext is bound to the name and the version.
    package func seal(_ value: SecretValue, name: String, version: Int64) -> [UInt8] {
        let message = [value.isText ? 1 : 0] + value.bytes
        return AESGCM.seal(message, key: encryption, context: Self.context(name, version))
    }

    /// Decrypts a stored secret; nil when it was encrypted with another key, name or version, or was modified.
    package func open(_ sealed: [UInt8], name: String, version: Int64) -> SecretValue? {
        guard let message = AESGCM.open(sealed, key: encryption, context: Self.context(name, version)),
            let kind = message.first
        else { return nil }
        return SecretValue(bytes: Array(message.dropFirst()), isText: kind == 1)
    }

    /// A digest that identifies a value and reveals nothing about it without the key.
    package func fingerprint(of value: SecretValue, name: String) -> String {
        let digest = HMACSHA256.digest(of: Array("\(name)\n".utf8) + value.bytes, key: fingerprints)
        return HexText.encode(Array(digest.prefix(16)))
    }

    /// Identifies the key and reveals nothing about it.
    package var mark: String {
        let digest = HMACSHA256.digest(of: Array("jobserver secrets: mark".utf8), key: fingerprints)
        return HexText.encode(Array(digest.prefix(16)))
    }

    private static func context(_ name: String, _ version: Int64) -> [UInt8] {
        Array("jobserver secret 1\n\(name)\n\(version)".utf8)
    }
}

/// The value of a secret.
package struct SecretValue: Sendable, Hashable {
    package var bytes: [UInt8]
    /// Whether the value was given as text.
    package var isText: Bool

    package init(bytes: [UInt8], isText: Bool) {
        self.bytes = bytes
        self.isText = isText
    }
}
