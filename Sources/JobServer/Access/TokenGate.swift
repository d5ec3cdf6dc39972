import FoundationEssentials
import Synchronization

/// Decides who may come in. Asked before anything else of a request is looked at.
final class TokenGate: Sendable {
    /// What the gate says.
    enum Verdict: Sendable, Hashable {
        /// Come in, as this.
        case open(Caller)
        /// No token, or one that is not known.
        case unknown
        /// A known token without the scope.
        case forbidden(name: String)
    }

    private let file: TokenFile?
    private let entries: Mutex<[TokenEntry]>
    private let changedAt: Mutex<Date?>

    /// A gate that lets everybody in: for servers that only this machine can reach.
    init() {
        file = nil
        entries = Mutex([])
        changedAt = Mutex(nil)
    }

    /// A gate that asks for one of the tokens in `file`.
    init(file: TokenFile) throws(TokenFileError) {
        let known = try file.read()
        self.file = file
        entries = Mutex(known)
        changedAt = Mutex(file.changedAt)
    }

    /// Whether a token is needed.
    var asksForToken: Bool { file != nil }

    /// Whether who sent this `Authorization` field value (nil: none) may do what needs `scope`.
    func verdict(authorization: ArraySlice<UInt8>?, scope: AccessScope) -> Verdict {
        guard file != nil else { return .open(.anybody) }
        guard let authorization, let token = TokenGate.bearerToken(in: authorization) else { return .unknown }
        let digest = SHA256.digest(of: Array(token))
        let found = entries.withLock { entries in
            // All entries are compared, so that the time says nothing about which one it is.
            entries.reduce(nil as TokenEntry?) { found, entry in
                ConstantTime.equals(entry.digest, digest) ? entry : found
            }
        }
        guard let found else { return .unknown }
        guard found.scopes.contains(scope) else { return .forbidden(name: found.name) }
        return .open(Caller(name: found.name, mayRead: found.scopes.contains(.read)))
    }

    /// Reads the file again. What was known stays when that fails.
    func reload() throws(TokenFileError) {
        guard let file else { return }
        changedAt.withLock { $0 = file.changedAt }
        let known = try file.read()
        entries.withLock { $0 = known }
    }

    /// Reads the file again when it was changed since the last time. True when it was.
    func reloadIfChanged() throws(TokenFileError) -> Bool {
        guard let file else { return false }
        let now = file.changedAt
        guard now != changedAt.withLock({ $0 }) else { return false }
        try reload()
        return true
    }

    /// The token of a `Bearer` credential (RFC 6750 §2.1); the scheme in any case.
    private static func bearerToken(in value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = Array("bearer ".utf8)
        guard value.count > scheme.count, value.count <= 512 else { return nil }
        for (byte, expected) in zip(value, scheme) where byte | 0x20 != expected { return nil }
        return value.dropFirst(scheme.count).drop { $0 == 0x20 }
    }
}

/// Who makes a request.
struct Caller: Sendable, Hashable {
    /// The token's name; `anybody` where no token is asked for.
    var name: String
    /// Whether jobs and what they came to may be shown.
    var mayRead = true

    /// Whoever can reach the server.
    static let anybody = Caller(name: "anybody")
}
