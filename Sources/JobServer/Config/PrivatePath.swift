import ContentFiles
import DurableJobs

/// A file or directory of the server whose permissions are too open.
struct PrivatePath: Sendable, Hashable {
    let path: String
    /// The permissions, such as 0o600.
    let mode: Int
    /// The excess permissions.
    let open: Int
    /// The proper permissions.
    let proper: Int

    /// The use of a path, which decides its permissions.
    enum Use: Sendable {
        /// The data directory: accessible to its owner only.
        case data
        /// A key: readable by its owner, and by a group that was given access.
        case key
        /// The token digests: others may read but not write them.
        case tokens

        fileprivate var forbidden: Int {
            switch self {
            case .data: 0o077
            case .key: 0o027
            case .tokens: 0o022
            }
        }
    }

    /// Checks a path, of a link the file that it leads to; nil when the permissions are fine or nothing is there.
    init?(_ path: String, for use: Use) {
        guard let facts = FileFacts(path) else { return nil }
        self.init(path, mode: facts.mode, for: use)
    }

    /// Checks permissions; nil when they are fine.
    init?(_ path: String, mode: Int, for use: Use) {
        guard mode & use.forbidden != 0 else { return nil }
        self.path = path
        self.mode = mode
        open = mode & use.forbidden
        proper = use == .data ? 0o700 : 0o600
    }

    /// The finding, for people: `others may read /data/secret.key (mode 644)`
    var text: String {
        let doing =
            proper == 0o700 ? "enter" : open & 0o022 != 0 ? "change" : "read"
        return "others may \(doing) \(path) (mode \(String(mode & 0o777, radix: 8)))"
    }

    /// The command that fixes it.
    var remedy: String { "chmod \(String(proper, radix: 8)) \(path)" }

    /// All findings for the paths of a configuration.
    static func all(of config: ServerConfig) -> [PrivatePath] {
        var found = [PrivatePath(config.dataDirectory, for: .data)]
        found.append(PrivatePath(config.keyFile.path, for: .key))
        if let path = config.tlsKey { found.append(PrivatePath(path, for: .key)) }
        if let path = config.tokenFile { found.append(PrivatePath(path, for: .tokens)) }
        return found.compactMap(\.self)
    }
}
