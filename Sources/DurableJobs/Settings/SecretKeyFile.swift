import FoundationEssentials
import JobKit
import OpenSSLCrypto

/// The file with the key that protects secrets: 32 random bytes in hexadecimal or base64. Further lines are keys that
/// it replaced.
package struct SecretKeyFile: Sendable {
    /// The name of the default file in the data directory.
    package static let defaultName = "secret.key"

    package let path: String
    /// Whether the configuration names the file. Only the default file is created when missing.
    package let isGiven: Bool

    /// - Parameter given: the file that the configuration names; nil is the default one in `directory`.
    package init(_ given: String?, in directory: String) {
        isGiven = given != nil
        path = given ?? Self.defaultPath(in: directory)
    }

    package static func defaultPath(in directory: String) -> String {
        URL(filePath: directory).appending(path: defaultName).path
    }

    /// Reads the key. A missing default file is created as long as no secrets are stored.
    /// - Throws: a configuration error, with what to change.
    package func key(hasSecrets: Bool) throws(EngineSetupError) -> SecretKey {
        if let key = try existing(hasSecrets: hasSecrets) { return key }
        guard !isGiven, !hasSecrets else { throw missing(hasSecrets: hasSecrets) }
        return try create()
    }

    /// Reads the key; nil when there is no file.
    /// - Throws: a configuration error for a file without a key, with what to change.
    package func existing(hasSecrets: Bool = true) throws(EngineSetupError) -> SecretKey? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw failure("The secret key file \(path) cannot be read. Check its permissions.")
        }
        guard content.count <= 1_024, let key = Self.key(in: Array(content)) else {
            throw failure(
                "The secret key file \(path) does not hold 32 bytes in hexadecimal or base64. "
                    + (hasSecrets
                        ? "Restore it. If it is lost, move this file away. \(Self.wayOn)"
                        : "Make one: head -c 32 /dev/urandom | base64 > \(path)"))
        }
        return key
    }

    /// The key in a file; nil when one of its lines is malformed.
    private static func key(in content: [UInt8]) -> SecretKey? {
        if let bytes = bytes(in: String(decoding: content, as: UTF8.self)) { return SecretKey(bytes: bytes) }
        let lines = content.split(separator: 0x0A).map { bytes(in: String(decoding: $0, as: UTF8.self)) }
        let keys = lines.compactMap(\.self)
        guard let first = keys.first, keys.count == lines.count else { return nil }
        return SecretKey(bytes: first, former: Array(keys.dropFirst()))
    }

    /// Decodes the 32 bytes; nil when the text is malformed.
    package static func bytes(in text: String) -> [UInt8]? {
        let text = text.utf8.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        let bytes =
            text.count == 64 ? HexText.decode(String(decoding: text, as: UTF8.self)) : Base64.decode(text)
        return bytes?.count == 32 ? bytes : nil
    }

    /// Makes a file with a new key.
    package func create() throws(EngineSetupError) -> SecretKey {
        let bytes = SecureRandom.bytes(32)
        let text = HexText.encode(bytes) + "\n"
        guard PrivateFile.create(path, Array(text.utf8)) else {
            throw failure("The secret key file \(path) cannot be written.")
        }
        return SecretKey(bytes: bytes)
    }

    /// The remedy for secrets whose key is lost.
    static let wayOn =
        "jobserver forget-secrets lists the secrets that cannot be opened, and removes them with --yes. "
        + "See \"A lost key\" in Docs/Secrets.md."

    private func missing(hasSecrets: Bool) -> EngineSetupError {
        failure(
            hasSecrets
                ? "There is no secret key file at \(path), and the stored secrets cannot be decrypted without it. "
                    + "Restore it, or say where it is with --secret-key-file. If it is lost: \(Self.wayOn)"
                : "There is no secret key file at \(path). Make one: head -c 32 /dev/urandom | base64 > \(path)"
        )
    }

    private func failure(_ text: String) -> EngineSetupError {
        EngineSetupError(.configuration, text)
    }
}
