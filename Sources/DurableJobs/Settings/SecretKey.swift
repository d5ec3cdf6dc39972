package import JobKit
import OpenSSLCrypto

// DESIGN
// A key is replaced by putting a new one on the first line of its file and leaving the old one on the next: what was
// sealed or signed with the old one is still opened, and everything new uses the new one. A secret is sealed with the
// new key when it is put again, and a callback URL is made with it from then on.

/// The key that protects secrets, from which others are derived: for encryption, fingerprints and callback URLs.
package struct SecretKey: Sendable {
    private let encryption: [UInt8]
    private let fingerprints: [UInt8]
    private let callbacks: [UInt8]
    /// The keys that it replaced.
    private let former: [SecretKey]

    /// Creates a key from 32 bytes.
    /// - Parameter former: the keys that it replaced, the latest first.
    package init(bytes: [UInt8], former: [[UInt8]] = []) {
        callbacks = HKDFSHA256.key(of: 32, from: bytes, info: Array("jobserver callbacks: token 1".utf8))
        self.former = former.map { SecretKey(bytes: $0) }
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
        else {
            return former.lazy.compactMap { $0.open(sealed, name: name, version: version) }.first
        }
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

    /// The token of the URL of a wait.
    package func callbackToken(of job: JobID, _ place: CallbackPlace) -> CallbackToken {
        var token = CallbackToken(keyID: callbackKeyID, job: job, place: place)
        token.mac = HMACSHA256.digest(of: token.signed, key: callbacks)
        return token
    }

    /// Whether a token was made with this key, or with one that it replaced. In a time that does not depend on the MAC.
    package func hasMade(_ token: CallbackToken) -> Bool {
        guard token.keyID == callbackKeyID else { return former.contains { $0.hasMade(token) } }
        return ConstantTime.equals(HMACSHA256.digest(of: token.signed, key: callbacks), token.mac)
    }

    /// Identifies the key in tokens.
    private var callbackKeyID: [UInt8] {
        let digest = HMACSHA256.digest(of: Array("jobserver callbacks: key".utf8), key: callbacks)
        return Array(digest.prefix(CallbackToken.keyIDBytes))
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
