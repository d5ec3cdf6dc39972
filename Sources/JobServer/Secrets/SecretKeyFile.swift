import FoundationEssentials
import JobKit

/// The file with the key of the stored secrets: 32 random bytes as 64 hexadecimal digits or in base 64.
struct SecretKeyFile: Sendable {
    /// The name of the file that is made in the data directory when no other is given.
    static let defaultName = "secret.key"

    /// Where it is.
    let path: String
    /// Whether a person said where it is. Only the other one is made when it is missing.
    let isGiven: Bool

    /// The file that the configuration names.
    init(_ config: ServerConfig) {
        isGiven = config.secretKeyFile != nil
        path = config.secretKeyFile ?? Self.defaultPath(in: config.dataDirectory)
    }

    /// Where it is when nobody says anything else.
    static func defaultPath(in directory: String) -> String {
        URL(filePath: directory).appending(path: defaultName).path
    }

    /// The key in the file. A missing file of the default name is made as long as no secrets are stored.
    /// - Throws: what a person must change.
    func key(hasSecrets: Bool) throws(CommandFailure) -> SecretKey {
        guard FileManager.default.fileExists(atPath: path) else {
            guard !isGiven, !hasSecrets else { throw missing(hasSecrets: hasSecrets) }
            return try create()
        }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw failure("The secret key file \(path) cannot be read. Check its permissions.")
        }
        guard content.count <= 1_024, let bytes = Self.bytes(in: String(decoding: content, as: UTF8.self))
        else {
            throw failure(
                "The secret key file \(path) does not hold 32 bytes in hexadecimal digits or base 64. "
                    + "Make one: head -c 32 /dev/urandom | base64 > \(path)")
        }
        return SecretKey(bytes: bytes)
    }

    /// The 32 bytes that a text writes.
    static func bytes(in text: String) -> [UInt8]? {
        let text = text.utf8.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        let bytes =
            text.count == 64 ? HexText.decode(String(decoding: text, as: UTF8.self)) : Base64.decode(text)
        return bytes?.count == 32 ? bytes : nil
    }

    private func create() throws(CommandFailure) -> SecretKey {
        let bytes = SecureRandom.bytes(32)
        let text = HexText.encode(bytes) + "\n"
        guard PrivateFile.create(path, Array(text.utf8)) else {
            throw failure("The secret key file \(path) cannot be written.")
        }
        return SecretKey(bytes: bytes)
    }

    private func missing(hasSecrets: Bool) -> CommandFailure {
        failure(
            hasSecrets
                ? "There is no secret key file at \(path), and secrets are stored that only it can open. "
                    + "Bring it back, or say where it is with --secret-key-file."
                : "There is no secret key file at \(path). Make one: head -c 32 /dev/urandom | base64 > \(path)"
        )
    }

    private func failure(_ text: String) -> CommandFailure {
        CommandFailure(code: .configuration, text: text)
    }
}
