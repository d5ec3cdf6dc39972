import JobKit

/// The key under which secrets are stored, and what is made of it: one key for encryption and one for fingerprints.
struct SecretKey: Sendable {
    private let encryption: [UInt8]
    private let fingerprints: [UInt8]

    /// A key of 32 bytes.
    init(bytes: [UInt8]) {
        precondition(bytes.count == 32)
        encryption = HMACSHA256.digest(of: Array("jobserver secrets: encryption".utf8), key: bytes)
        fingerprints = HMACSHA256.digest(of: Array("jobserver secrets: fingerprints".utf8), key: bytes)
    }

    /// A secret as it is stored. It can only be opened as this version of the secret of this name.
    func seal(_ value: SecretValue, name: String, version: Int64) -> [UInt8] {
        let message = [value.isText ? 1 : 0] + value.bytes
        return AESGCM.seal(message, key: encryption, context: Self.context(name, version))
    }

    /// The secret that was stored; nil when it was stored under another key, for another name or version, or was
    /// changed.
    func open(_ sealed: [UInt8], name: String, version: Int64) -> SecretValue? {
        guard let message = AESGCM.open(sealed, key: encryption, context: Self.context(name, version)),
            let kind = message.first
        else { return nil }
        return SecretValue(bytes: Array(message.dropFirst()), isText: kind == 1)
    }

    /// A word that is the same as long as the value is, and tells nothing about it without the key.
    func fingerprint(of value: SecretValue, name: String) -> String {
        let digest = HMACSHA256.digest(of: Array("\(name)\n".utf8) + value.bytes, key: fingerprints)
        return HexText.encode(Array(digest.prefix(16)))
    }

    private static func context(_ name: String, _ version: Int64) -> [UInt8] {
        Array("jobserver secret 1\n\(name)\n\(version)".utf8)
    }
}

/// A secret value.
struct SecretValue: Sendable, Hashable {
    /// What it is.
    var bytes: [UInt8]
    /// Whether it was given as text.
    var isText: Bool
}
