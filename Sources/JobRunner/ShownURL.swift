/// The URL of a call in a span: the semantic conventions want credentials left out, and a query is where they are. User
/// information is refused in specs.
enum ShownURL {
    /// The URL with the values of its query replaced.
    static func text(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count > 1 else { return url }
        let pairs = parts[1].split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.firstIndex(of: "=").map { "\(pair[...$0])REDACTED" } ?? String(pair)
        }
        return "\(parts[0])?\(pairs.joined(separator: "&"))"
    }
}
