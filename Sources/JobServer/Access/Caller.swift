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
