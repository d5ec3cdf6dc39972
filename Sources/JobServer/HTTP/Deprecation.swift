import HTTPMessage

/// The announcement that an operation will go, at least 12 months before it does (RFC 9745, RFC 8594).
struct Deprecation: Sendable, Hashable {
    /// Since when it is announced.
    var since: HTTPDate
    /// When it goes.
    var sunset: HTTPDate
    /// The path of the operation to use instead; nil for none.
    var successor: String?

    /// Adds what tells a client.
    /// - Parameter base: the prefix of links.
    func mark(_ fields: inout HTTPFields, base: String) {
        fields.add("Deprecation", "@\(since.secondsSince1970)")
        fields.add("Sunset", sunset.description)
        if let successor { fields.add("Link", "<\(base)\(successor)>; rel=\"successor-version\"") }
    }
}
