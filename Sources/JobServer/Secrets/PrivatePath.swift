import FoundationEssentials

/// A file or directory that is the server's own: what others may do there that they should not.
struct PrivatePath: Sendable, Hashable {
    /// Where it is.
    let path: String
    /// Its permissions, such as 0o600.
    let mode: Int
    /// Those of them that are too many.
    let open: Int
    /// What it should be.
    let proper: Int

    /// What a path is for.
    enum Use: Sendable {
        /// The data directory: for its owner only.
        case data
        /// A key: for its owner, and a group that may read it.
        case key
        /// The digests of tokens: others may read them, but not add some.
        case tokens

        fileprivate var forbidden: Int {
            switch self {
            case .data: 0o077
            case .key: 0o027
            case .tokens: 0o022
            }
        }
    }

    /// What is wrong with a path; nil when nothing is, or it is not there.
    init?(_ path: String, for use: Use) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? any BinaryInteger else { return nil }
        self.init(path, mode: Int(mode), for: use)
    }

    /// What is wrong with a path that has these permissions; nil when nothing is.
    init?(_ path: String, mode: Int, for use: Use) {
        guard mode & use.forbidden != 0 else { return nil }
        self.path = path
        self.mode = mode
        open = mode & use.forbidden
        proper = use == .data ? 0o700 : 0o600
    }

    /// What is wrong, for people: `others may read /data/secret.key (mode 644)`
    var text: String {
        let doing =
            proper == 0o700 ? "enter" : open & 0o022 != 0 ? "change" : "read"
        return "others may \(doing) \(path) (mode \(String(mode & 0o777, radix: 8)))"
    }

    /// The command that mends it.
    var remedy: String { "chmod \(String(proper, radix: 8)) \(path)" }

    /// All that is wrong with the paths that a server uses.
    static func all(of config: ServerConfig) -> [PrivatePath] {
        var found = [PrivatePath(config.dataDirectory, for: .data)]
        found.append(PrivatePath(SecretKeyFile(config).path, for: .key))
        if let path = config.tlsKey { found.append(PrivatePath(path, for: .key)) }
        if let path = config.tokenFile { found.append(PrivatePath(path, for: .tokens)) }
        return found.compactMap(\.self)
    }
}
