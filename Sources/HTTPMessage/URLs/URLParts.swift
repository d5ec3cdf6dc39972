/// A validated absolute `http` or `https` URL with its parts (RFC 3986, RFC 9110 §4.2).
///
/// Strict, so that every library extracts the same host from it: ASCII only, no user information, no fragment, no
/// backslash, addresses in canonical form.
package struct URLParts: Sendable, Hashable, CustomStringConvertible {
    /// The URL as given.
    package let text: String
    /// Whether the scheme is `https`.
    package let isHTTPS: Bool
    /// The host in lower case: a name, a dotted IPv4 address, or an IPv6 address without brackets.
    package let host: String
    /// The host when it is an address.
    package let address: IPAddress?
    /// The port as written; nil when none was.
    package let explicitPort: Int?
    /// The path, still encoded; `/` when the URL has none.
    package let path: String
    /// The query, still encoded, without `?`; nil when there is no `?`.
    package let query: String?

    /// The longest URL in bytes.
    package static let bytesMax = 8 << 10

    /// Parses a URL.
    /// - Throws: the problem, its position, and the correct form.
    package init(_ text: String) throws(URLPartsError) {
        var reader = URLPartsReader(Array(text.utf8))
        try reader.read()
        self.text = text
        isHTTPS = reader.isHTTPS
        host = reader.host
        address = reader.address
        explicitPort = reader.port
        path = reader.path.isEmpty ? "/" : reader.path
        query = reader.query
    }

    /// `http` or `https`.
    package var scheme: String { isHTTPS ? "https" : "http" }

    /// The port to connect to, 1…65535: as written, or 80 or 443.
    package var port: Int { explicitPort ?? (isHTTPS ? 443 : 80) }

    /// `https://host:port`, the port only when it is not the scheme's default.
    package var origin: String {
        let bracketed = address?.isIPv4 == false ? "[\(host)]" : host
        return "\(scheme)://\(bracketed)" + (port == (isHTTPS ? 443 : 80) ? "" : ":\(port)")
    }

    /// The URL as given.
    package var description: String { text }
}

/// The reason why a text is not a callable URL.
package struct URLPartsError: Error, Sendable, Hashable {
    /// A stable name for each kind of mistake.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case empty = "url.empty"
        case tooLong = "url.too_long"
        case character = "url.character"
        case scheme = "url.scheme"
        case userInformation = "url.user_information"
        case host = "url.host"
        case port = "url.port"
        case escape = "url.escape"
        case fragment = "url.fragment"
    }

    /// The kind of mistake.
    package let code: Code
    /// The problem, one sentence. Contains no part of the URL, which may carry secrets.
    package let detail: String
    /// The correct form.
    package let suggestion: String
    /// The position, in bytes from the start.
    package let offset: Int
}
