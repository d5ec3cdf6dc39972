import JobKit

/// One line of the token file: the token's name, its digest, and its scopes.
struct TokenEntry: Sendable, Hashable {
    /// The name of the token: `[A-Za-z0-9][A-Za-z0-9._-]{0,62}`, unique within the file.
    var name: String
    /// The SHA-256 digest of the token's bytes. The token itself is not stored.
    var digest: [UInt8]
    var scopes: Set<AccessScope> = Set(AccessScope.allCases)

    /// `name:digest`, followed by `:` and comma-separated scopes unless all are granted.
    var line: String {
        let start = "\(name):\(HexText.encode(digest))"
        guard scopes.count < AccessScope.allCases.count else { return start }
        return start + ":"
            + AccessScope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: ",")
    }

    /// Parses one line of the token file.
    static func parse(_ line: some StringProtocol) -> Result<TokenEntry, TokenFileError> {
        let parts = line.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else {
            return .failure(TokenFileError("expected name:digest or name:digest:scopes"))
        }
        let name = String(parts[0])
        guard isName(name) else {
            return .failure(TokenFileError("the name may hold letters, digits, '.', '_' and '-', 63 at most"))
        }
        guard let digest = HexText.decode(parts[1]), digest.count == 32 else {
            return .failure(TokenFileError("the digest of \"\(name)\" is not 64 hexadecimal digits"))
        }
        var entry = TokenEntry(name: name, digest: digest)
        if parts.count == 3 {
            var scopes: Set<AccessScope> = []
            for word in parts[2].split(separator: ",") {
                guard let scope = AccessScope(rawValue: String(word)) else {
                    return .failure(
                        TokenFileError("\"\(word)\" is no scope; there are read, write and admin"))
                }
                scopes.insert(scope)
            }
            guard !scopes.isEmpty else { return .failure(TokenFileError("\"\(name)\" has no scope")) }
            entry.scopes = scopes
        }
        return .success(entry)
    }

    /// Whether `text` is a valid token name.
    static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...63).contains(bytes.count), let first = bytes.first, isAlphanumeric(first) else {
            return false
        }
        return bytes.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// The reason why a token file cannot be used.
struct TokenFileError: Error, Sendable, Hashable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
