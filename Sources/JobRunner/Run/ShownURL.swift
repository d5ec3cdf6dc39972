/// The URL of a call in a span: the semantic conventions want credentials left out, and a query is where they are. User
/// information is refused in specs.
enum ShownURL {
    /// The URL with the values of its query replaced.
    static func text(_ url: String) -> String {
        let bytes = url.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return url }
        let pairs = bytes[mark...].dropFirst().split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false
        ).map { pair in
            let name = String(Substring(pair.prefix { $0 != UInt8(ascii: "=") }))
            return pair.contains(UInt8(ascii: "=")) ? name + "=REDACTED" : name
        }
        return String(Substring(bytes[...mark])) + pairs.joined(separator: "&")
    }
}
