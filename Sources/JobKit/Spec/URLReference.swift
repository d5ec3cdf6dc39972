internal import HTTPMessage

/// References to URLs as they stand in `Location` (RFC 3986 §5).
enum URLReference {
    /// The absolute http or https URL that a reference means; nil when it means none.
    static func resolve(_ reference: String, against base: String) -> String? {
        guard !reference.isEmpty, let base = try? URLParts(base) else { return nil }
        let url =
            if reference.hasPrefix("//") {
                "\(base.scheme):\(reference)"
            } else if reference.hasPrefix("/") {
                base.origin + reference
            } else if hasScheme(reference) {
                reference
            } else if reference.hasPrefix("?") {
                base.origin + base.path + reference
            } else {
                base.origin + directory(of: base.path) + reference
            }
        return (try? URLParts(url)) == nil ? nil : url
    }

    /// Everything up to the last slash.
    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "/" }
        return String(path[...slash])
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return text.utf8[..<colon].allSatisfy {
            ($0 | 0x20) &- 0x61 < 26 || "+-.0123456789".utf8.contains($0)
        }
    }
}
