/// The services of calls that outlive a job: named connections, and the access tokens that were fetched.
package final class CallServices: Sendable {
    /// Named places that calls go to; nil has none.
    let connections: (any ConnectionBook)?
    /// The access tokens that were fetched.
    let tokens = TokenCache()

    /// Services with these connections.
    package init(connections: (any ConnectionBook)? = nil) { self.connections = connections }
}

/// Named upstreams: their base URL, authentication and network settings.
package protocol ConnectionBook: Sendable {
    /// The current connection; nil when there is none of this name. Must not block: it is called before every call with
    /// a connection.
    func connection(named name: String) -> ConnectionSpec?
}
