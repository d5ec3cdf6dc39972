import HTTPMessage
import OpenSSLCrypto
import Synchronization

// DESIGN
// A browser must not store a token where scripts can read it, so it exchanges the token for an HttpOnly cookie. The
// cookie has only a random session id; each sign-in creates a new one, and unknown ones are ignored. The server stores
// its digest and that of the token: removing the token from the token file ends its sessions, too. Sessions are in
// memory and end with the process.

/// The sessions of signed-in browsers.
final class PageSessions: Sendable {
    /// The name of the cookie.
    static let cookie = "jobserver_session"
    /// The lifetime of a session, in seconds: 12 h.
    static let secondsMax: Int64 = 43_200

    private struct Session: Sendable {
        var tokenDigest: [UInt8]
        var end: ContinuousClock.Instant
    }

    /// By the digest of the cookie's value.
    private let sessions = Mutex<[[UInt8]: Session]>([:])
    private let countMax: Int
    private let perTokenMax: Int

    /// - Parameters:
    ///   - countMax: the limit of sessions; the one that expires first is evicted.
    ///   - perTokenMax: the limit of sessions of one token; its own that expires first is evicted. Without it, the
    ///     holder of any token could end the sessions of all others.
    init(countMax: Int = 1_000, perTokenMax: Int = 20) {
        self.countMax = countMax
        self.perTokenMax = perTokenMax
    }

    /// Begins a session for the holder of a token; returns the value of its cookie.
    func begin(tokenDigest: [UInt8], now: ContinuousClock.Instant = .now) -> String {
        let value = BearerToken.base64URL(SecureRandom.bytes(32))
        let session = Session(tokenDigest: tokenDigest, end: now + .seconds(Self.secondsMax))
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value.end > now }
            let own = sessions.filter { $0.value.tokenDigest == tokenDigest }
            let crowd = own.count >= perTokenMax ? own : sessions.count >= countMax ? sessions : [:]
            if let first = crowd.min(by: { $0.value.end < $1.value.end }) { sessions[first.key] = nil }
            sessions[Self.key(value.utf8)] = session
        }
        return value
    }

    /// Ends the sessions in a request's cookies.
    func end(of head: HTTPRequestHead) {
        let keys = Self.values(in: head.fields).map { Self.key($0) }
        sessions.withLock { sessions in
            for key in keys { sessions[key] = nil }
        }
    }

    /// The digest of the token of a request's session; nil without a valid session.
    func tokenDigest(of head: HTTPRequestHead, now: ContinuousClock.Instant = .now) -> [UInt8]? {
        session(of: head, now: now)?.tokenDigest
    }

    /// The key of a request's session, the digest of its token, and the time that is left; nil without a valid session.
    func session(
        of head: HTTPRequestHead, now: ContinuousClock.Instant = .now
    ) -> (key: [UInt8], tokenDigest: [UInt8], left: Duration)? {
        guard head.fields.contains("cookie"), Self.comesFromHere(head) else { return nil }
        let keys = Self.values(in: head.fields).map { Self.key($0) }
        return sessions.withLock { sessions in
            for key in keys {
                if let session = sessions[key], session.end > now {
                    return (key, session.tokenDigest, now.duration(to: session.end))
                }
            }
            return nil
        }
    }

    /// The time that is left of the session with a key; nil when it has ended.
    func timeLeft(of key: [UInt8], now: ContinuousClock.Instant = .now) -> Duration? {
        guard let end = sessions.withLock({ $0[key]?.end }), end > now else { return nil }
        return now.duration(to: end)
    }

    /// Whether a request was sent by a page of this server: a browser may add the cookie to requests of other sites.
    /// `SiteGuard` has compared an Origin with the host. A request that changes something must have the origin fields.
    private static func comesFromHere(_ head: HTTPRequestHead) -> Bool {
        if let site = head.fields.first("sec-fetch-site") {
            return site.elementsEqual("same-origin".utf8) || site.elementsEqual("none".utf8)
        }
        switch head.method {
        case .get, .head, .options: return true
        default: return head.fields.contains("origin")
        }
    }

    /// The values of the cookies with our name. There are several when servers share a host name.
    private static func values(in fields: HTTPFields) -> [Substring.UTF8View] {
        fields.all("cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
            let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                pair[..<equals].elementsEqual(cookie.utf8)
            else { return nil }
            return pair[pair.index(after: equals)...]
        }
    }

    private static func key(_ value: some Sequence<UInt8>) -> [UInt8] { SHA256.digest(of: Array(value)) }
}
