extension OperationResult {
    /// The kept cookies set by the answer (RFC 6265 §5.2), each name once: the last one counts, and removed ones are
    /// absent. Attributes are ignored: later calls send the cookies where the spec says so.
    var cookies: [(name: String, value: String)] {
        var cookies: [(name: String, value: String)] = []
        for header in headers where header.name == "set-cookie" {
            let parts = header.value.split(separator: ";", omittingEmptySubsequences: false)
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let (name, value) = (Self.trimmed(pair[0]), Self.trimmed(pair[1]))
            guard !name.isEmpty else { continue }
            cookies.removeAll { $0.name == name }
            let isRemoved = parts.dropFirst().contains { part in
                let text = Self.trimmed(part).lowercased()
                return text == "max-age=0" || text.hasPrefix("max-age=-")
            }
            if !isRemoved { cookies.append((name, value)) }
        }
        return cookies
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = Array(text.utf8.drop(while: isBlank))
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
