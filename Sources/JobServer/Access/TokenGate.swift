import ContentFiles
import HTTPMessage
import JobKit
import JobStore
import OpenSSLCrypto
import Synchronization

/// Authorizes requests by their token, before any other part of a request is examined.
final class TokenGate: Sendable {
    enum Verdict: Sendable, Hashable {
        case open(Caller)
        /// The token is missing or unknown.
        case unknown
        /// The token was valid until a time.
        case expired(name: String, at: Timestamp)
        /// The token is known but lacks the scope.
        case forbidden(name: String)
    }

    /// The time between two looks at the file and at expiries: open answers end within a second of their permission.
    static let lookEvery = Duration.milliseconds(500)

    private let file: TokenFile?
    private let entries: Mutex<[TokenEntry]>
    /// Those of the file when it was last read.
    private let facts: Mutex<FileFacts?>
    /// Counts the changes of tokens and the ends of sessions.
    private let revision = Atomic<UInt64>(0)
    /// The browsers that are signed in with a token.
    let sessions = PageSessions()
    /// The answers that end with the permission of their request.
    let open = OpenAnswers()

    /// Creates a gate that lets every request in, for servers that only this machine can reach.
    init() {
        file = nil
        entries = Mutex([])
        facts = Mutex(nil)
    }

    /// Creates a gate that requires one of the tokens in `file`.
    init(file: TokenFile) throws(TokenFileError) {
        // Before the read, so that no change falls between.
        let facts = file.facts
        let known = try file.read()
        self.file = file
        entries = Mutex(known)
        self.facts = Mutex(facts)
    }

    var asksForToken: Bool { file != nil }

    /// Judges whether the token of a request or, without one, its session permits what needs one of `scopes`.
    /// - Returns: the verdict, and what it rests on: nil for `unknown`, and where no token is asked for.
    func judge(
        _ head: HTTPRequestHead, scopes: [AccessScope], at now: Timestamp = SystemTime.now()
    ) -> (verdict: Verdict, grounds: Permission.Grounds?) {
        guard file != nil else { return (.open(.anybody), nil) }
        // Before the looks, so that no change falls between.
        let revision = revision.load(ordering: .acquiring)
        guard let shown = credential(of: head, at: now), let entry = entry(digest: shown.credential.digest)
        else { return (.unknown, nil) }
        let grounds = Permission.Grounds(
            credential: shown.credential, revision: revision,
            until: min(shown.until, entry.expiresAt ?? .never))
        return (Self.verdict(on: entry, scopes, now), grounds)
    }

    /// Whether a judgement would be the same now.
    func upholds(_ grounds: Permission.Grounds, at now: Timestamp = SystemTime.now()) -> Bool {
        revision.load(ordering: .acquiring) == grounds.revision && now < grounds.until
    }

    /// The entry of the token or session that a request carries; nil without one that is known.
    func entry(of head: HTTPRequestHead) -> TokenEntry? {
        credential(of: head).flatMap { entry(digest: $0.credential.digest) }
    }

    /// The entry of a token; nil when it is not known.
    func entry(token: some Sequence<UInt8>) -> TokenEntry? {
        entry(digest: SHA256.digest(of: Array(token)))
    }

    private func entry(digest: [UInt8]) -> TokenEntry? {
        entries.withLock { entries in
            // Compares all entries, so that the time does not reveal which one matches.
            entries.reduce(nil as TokenEntry?) { found, entry in
                ConstantTime.equals(entry.digest, digest) ? entry : found
            }
        }
    }

    /// The proof that a request carries, and the end of its session; nil without one.
    private func credential(
        of head: HTTPRequestHead, at now: Timestamp = SystemTime.now()
    ) -> (credential: OpenAnswers.Credential, until: Timestamp)? {
        if let authorization = head.fields.first("authorization") {
            guard let token = TokenGate.bearerToken(in: authorization) else { return nil }
            return (.token(SHA256.digest(of: Array(token))), .never)
        }
        guard let session = sessions.session(of: head) else { return nil }
        return (.session(session.key, token: session.tokenDigest), now.advanced(by: session.left))
    }

    /// The meaning of a credential now; nil when it is not valid any more.
    func standing(
        of credential: OpenAnswers.Credential, at now: Timestamp = SystemTime.now()
    ) -> OpenAnswers.Standing? {
        var until = Timestamp.never
        if case .session(let key, _) = credential {
            guard let left = sessions.timeLeft(of: key) else { return nil }
            until = now.advanced(by: left)
        }
        let known = entries.withLock { entries in entries.last { $0.digest == credential.digest } }
        guard let known, !known.isExpired(at: now) else { return nil }
        return OpenAnswers.Standing(entry: known, until: min(until, known.expiresAt ?? .never))
    }

    /// Ends the permissions and the open answers of sessions that have ended.
    func reviewSessions() {
        revision.add(1, ordering: .releasing)
        open.review({ if case .session = $0 { true } else { false } }, standing: { standing(of: $0) })
    }

    /// Ends the open answers whose credentials have expired. Nearly free when there are none.
    func reviewExpiries(at now: Timestamp = SystemTime.now()) {
        if open.isDue(at: now) { open.review(standing: { standing(of: $0, at: now) }) }
    }

    private static func verdict(on entry: TokenEntry, _ scopes: [AccessScope], _ now: Timestamp) -> Verdict {
        if let end = entry.expiresAt, end <= now { return .expired(name: entry.name, at: end) }
        guard scopes.contains(where: entry.permits) else { return .forbidden(name: entry.name) }
        return .open(
            Caller(
                name: entry.name, tenant: entry.tenant.map { Tenant($0) }, mayRead: entry.permits(.read)))
    }

    /// The tokens that are known.
    var known: [TokenEntry] { entries.withLock { $0 } }

    /// Reads the file again, and ends the permissions and the open answers of tokens that are not in it. On failure the
    /// known tokens stay valid.
    func reload() throws(TokenFileError) {
        guard let file else { return }
        facts.withLock { $0 = file.facts }
        let known = try file.read()
        entries.withLock { $0 = known }
        revision.add(1, ordering: .releasing)
        open.review(standing: { standing(of: $0) })
    }

    /// Reads the file again if it has changed since the last read. Returns whether it had.
    func reloadIfChanged() throws(TokenFileError) -> Bool {
        guard let file else { return false }
        let now = file.facts
        guard now != facts.withLock({ $0 }) else { return false }
        try reload()
        return true
    }

    /// The token of a `Bearer` credential (RFC 6750 §2.1). The scheme is case-insensitive.
    private static func bearerToken(in value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = Array("bearer ".utf8)
        guard value.count > scheme.count, value.count <= 512 else { return nil }
        for (byte, expected) in zip(value, scheme) where byte | 0x20 != expected { return nil }
        return value.dropFirst(scheme.count).drop { $0 == 0x20 }
    }
}
