/// Named upstreams: their base URL, authentication and network settings.
package protocol ConnectionBook: Sendable {
    /// The current connection; nil when there is none of this name. Must not block: it is called before every call with
    /// a connection.
    func connection(named name: String) -> ConnectionSpec?
}
