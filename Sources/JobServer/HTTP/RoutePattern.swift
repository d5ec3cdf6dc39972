/// A path of the API as data: literal, or with one parameter in braces, such as `/v1/jobs/{id}:cancel`.
struct RoutePattern: Sendable, Hashable {
    /// As it is written in `openapi.yaml`.
    let text: String
    private let prefix: [UInt8]
    private let suffix: [UInt8]
    /// Whether there is a parameter.
    let hasParameter: Bool

    /// The pattern that `text` writes; at most one parameter.
    init(_ text: String) {
        self.text = text
        let bytes = Array(text.utf8)
        guard let open = bytes.firstIndex(of: 0x7B), let close = bytes.firstIndex(of: 0x7D), open < close
        else {
            prefix = bytes
            suffix = []
            hasParameter = false
            return
        }
        prefix = Array(bytes[..<open])
        suffix = Array(bytes[(close + 1)...])
        hasParameter = true
    }

    /// The parameter's bytes (empty for a literal pattern) when `path` is one of this pattern's; a parameter is not
    /// empty and holds neither `/` nor `:`.
    func match(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard hasParameter else {
            return path.count == prefix.count && path.elementsEqual(prefix) ? path.prefix(0) : nil
        }
        guard path.count > prefix.count + suffix.count, path.starts(with: prefix) else { return nil }
        let middle = path.dropFirst(prefix.count).dropLast(suffix.count)
        guard path.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        for byte in middle where byte == 0x2F || byte == 0x3A { return nil }
        return middle
    }
}
