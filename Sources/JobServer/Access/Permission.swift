import JobKit

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
