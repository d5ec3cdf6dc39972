/// The services of calls that outlive a job: named connections, and the access tokens that were fetched.
package final class CallServices: Sendable {
    /// Named places that calls go to; nil has none.
    let connections: (any ConnectionBook)?
    /// The access tokens that were fetched.
    let tokens = TokenCache()

    /// Services with these connections.
    package init(connections: (any ConnectionBook)? = nil) { self.connections = connections }
}
