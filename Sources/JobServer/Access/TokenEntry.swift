import JobKit
import JobSpec

/// One line of the token file: the token's name, its digest, its scopes and its options.
struct TokenEntry: Sendable, Hashable {
    /// The name of the token: `[A-Za-z0-9][A-Za-z0-9._-]{0,62}`, unique within the file.
    var name: String
    /// The SHA-256 digest of the token's bytes. The token itself is not stored.
    var digest: [UInt8]
    var scopes: Set<AccessScope> = Set(AccessScope.allCases)
    /// The time from which the token is refused; nil means never.
    var expiresAt: Timestamp?

    /// The tenant to whom the token belongs; nil for one that sees everything.
    var tenant: String?

    /// The scopes that the token permits, in order.
    var permitted: [AccessScope] { AccessScope.allCases.filter(permits) }

    func permits(_ scope: AccessScope) -> Bool {
        scopes.contains(scope) || scope == .submit && scopes.contains(.write)
    }

    func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// `name:digest`, followed by `:` and comma-separated scopes unless all are granted, and by `:` and options if
    /// there are any.
    var line: String {
        let hasAll = AccessScope.allCases.allSatisfy(permits)
        let options =
            (tenant.map { ["tenant=\($0)"] } ?? []) + (expiresAt.map { ["expires=\($0)"] } ?? [])
        var parts = [name, HexText.encode(digest)]
        if !hasAll || !options.isEmpty {
            parts.append(
                hasAll
                    ? "" : AccessScope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: ",")
            )
        }
        if !options.isEmpty { parts.append(options.joined(separator: ",")) }
        return parts.joined(separator: ":")
    }

    /// Parses one line of the token file.
    static func parse(_ line: some StringProtocol) -> Result<TokenEntry, TokenFileError> {
        let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2 else {
            return .failure(
                TokenFileError("expected name:digest, name:digest:scopes or name:digest:scopes:options"))
        }
        let name = String(parts[0])
        guard isName(name) else {
            return .failure(TokenFileError("the name may hold letters, digits, '.', '_' and '-', 63 at most"))
        }
        guard let digest = HexText.decode(parts[1]), digest.count == 32 else {
            return .failure(TokenFileError("the digest of \"\(name)\" is not 64 hexadecimal digits"))
        }
        var entry = TokenEntry(name: name, digest: digest)
        do throws(TokenFileError) {
            if parts.count == 3 || parts.count > 3 && !parts[2].isEmpty {
                entry.scopes = try scopes(parts[2], of: name)
            }
            if parts.count > 3 { try entry.take(options: parts[3]) }
        } catch {
            return .failure(error)
        }
        return .success(entry)
    }

    private static func scopes(
        _ text: some StringProtocol, of name: String
    ) throws(TokenFileError) -> Set<AccessScope> {
        var scopes: Set<AccessScope> = []
        for word in text.split(separator: ",") {
            guard let scope = AccessScope(rawValue: String(word)) else {
                throw TokenFileError("\"\(word)\" is no scope; there are \(AccessScope.list)")
            }
            scopes.insert(scope)
        }
        guard !scopes.isEmpty else { throw TokenFileError("\"\(name)\" has no scope") }
        return scopes
    }

    private mutating func take(options text: some StringProtocol) throws(TokenFileError) {
        for option in text.split(separator: ",") {
            let parts = option.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, ["expires", "tenant"].contains(parts[0]) else {
                throw TokenFileError(
                    "unknown token option \"\(option)\"; options are tenant=NAME and expires=TIME")
            }
            if parts[0] == "tenant" {
                tenant = String(parts[1])
                guard JobSpecReader.isName(String(parts[1])) else {
                    throw TokenFileError(
                        "the tenant of \"\(name)\" is no name: a to z, 0 to 9, _ and -, 63 at most")
                }
                continue
            }
            do throws(TimestampTextError) {
                expiresAt = try Timestamp.parse(String(parts[1]))
            } catch {
                throw TokenFileError("the expiry of \"\(name)\": \(error.detail)")
            }
        }
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
    /// Whether the file is not there.
    var isMissing: Bool

    init(_ description: String, isMissing: Bool = false) {
        self.description = description
        self.isMissing = isMissing
    }
}
