import HTTPMessage
import JobKit
import JobStore

/// The client that makes a request.
struct Caller: Sendable, Hashable {
    /// The token's name; empty when the server requires no token.
    var name: String
    /// The user whom a trusted proxy names; nil when there is none.
    var user: String?
    /// The tenant to whom the token belongs; nil for one that sees everything.
    var tenant: Tenant?
    /// Whether the caller may see jobs and their results.
    var mayRead = true

    /// The caller of a server that requires no token.
    static let anybody = Caller(name: "")

    /// The name that journals, decisions and the list of changes record: that of the person, if it is known; empty when
    /// the server knows neither.
    var by: String { user ?? name }
}

/// A sender of requests, as the unit of fair sharing.
enum Client: Hashable, Sendable {
    case token(String)
    case address(IPAddress)
}

/// The permission of a request: its caller, as judged when the head of the request came, and how long that holds.
struct Permission: Sendable {
    /// The facts behind a judgement.
    struct Grounds: Sendable {
        /// The token or session of the request.
        let credential: OpenAnswers.Credential
        /// The revision of tokens and sessions that was looked at.
        let revision: UInt64
        /// The end of the token or session.
        let until: Timestamp
    }

    let caller: Caller
    /// Nil where no token is asked for: such a permission holds always.
    let grounds: Grounds?

    /// This permission while it holds, otherwise that of another look.
    func renewed(
        by gate: TokenGate, at now: Timestamp, look: () throws(Problem) -> Permission
    ) throws(Problem) -> Permission {
        guard let grounds, !gate.upholds(grounds, at: now) else { return self }
        return try look()
    }
}
