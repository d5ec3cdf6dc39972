import HTTPMessage

/// The address and the credentials of a proxy.
struct ProxyPlace {
    /// The scheme, host and port.
    let target: CallTarget
    /// `http://host:port`, for libcurl, without user name and password.
    let url: String
    /// The user name, if any.
    let user: String?
    /// The password; empty when only a user name is known.
    let password: String

    /// Parses the proxy of a route.
    ///
    /// - Throws: `proxy.url` when the text is not an `http` or `https` URL of a proxy.
    init(_ text: String, user: String?, password: String?) throws(HTTPCallFailure) {
        let (plain, credentials) = Self.split(text)
        let parts: URLParts
        do { parts = try URLParts(plain) } catch { throw Self.refusal(error.detail) }
        guard parts.path == "/", parts.query == nil else {
            throw Self.refusal("It has a path or a query.")
        }
        target = CallTarget(parts)
        url = "\(target.isSecure ? "https" : "http")://\(target.description)"
        self.user = user ?? credentials?.user
        self.password = password ?? credentials?.password ?? ""
    }

    /// Splits off the decoded credentials before the `@`.
    private static func split(_ text: String) -> (String, (user: String, password: String)?) {
        let bytes = text.utf8
        guard let start = bytes.firstRange(of: "://".utf8)?.upperBound,
            let end = bytes[start...].lastIndex(of: UInt8(ascii: "@"))
        else { return (text, nil) }
        let parts = bytes[start..<end].split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        let user = PercentCoding.decode(parts[0]) ?? parts[0]
        let password = parts.count == 2 ? PercentCoding.decode(parts[1]) ?? parts[1] : ""
        return (String(text[..<start]) + String(text[bytes.index(after: end)...]), (user, password))
    }

    private static func refusal(_ reason: String) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "proxy.url", detail: "The URL of the proxy cannot be used. \(reason)",
            suggestion: "Write it as http://host:port or https://host:port.", phase: .send,
            delivery: .notSent)
    }
}
