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
        guard let start = text.firstRange(of: "://")?.upperBound,
            let end = text[start...].lastIndex(of: "@")
        else { return (text, nil) }
        let parts = text[start..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = PercentCoding.decode(String(parts[0])) ?? String(parts[0])
        let password = parts.count == 2 ? PercentCoding.decode(String(parts[1])) ?? String(parts[1]) : ""
        return (String(text[..<start]) + String(text[text.index(after: end)...]), (user, password))
    }

    private static func refusal(_ reason: String) -> HTTPCallFailure {
        HTTPCallFailure(
            code: "proxy.url", detail: "The URL of the proxy cannot be used. \(reason)",
            suggestion: "Write it as http://host:port or https://host:port.", phase: .send,
            delivery: .notSent)
    }
}
