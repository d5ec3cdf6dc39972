internal import StrictJSON

extension OperationResult {
    /// The kept cookies set by the answer (RFC 6265 §5.2), each name once: the last one counts, and removed ones are
    /// absent. Attributes are ignored: later calls send the cookies where the spec says so.
    var cookies: [(name: String, value: String)] {
        var cookies: [(name: String, value: String)?] = []
        var places: [ByteKey: Int] = [:]
        for header in headers where header.name.hasSameBytes(as: "set-cookie") {
            let parts = header.value.utf8.split(
                separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            let pair = parts[0].split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let (name, value) = (Self.trimmed(pair[0]), Self.trimmed(pair[1]))
            guard !name.isEmpty else { continue }
            if let place = places.removeValue(forKey: ByteKey(name)) { cookies[place] = nil }
            if !parts.dropFirst().contains(where: Self.removes) {
                places[ByteKey(name)] = cookies.count
                cookies.append((name, value))
            }
        }
        return cookies.compactMap { $0 }
    }

    /// Whether an attribute removes the cookie.
    private static func removes(_ attribute: Substring.UTF8View) -> Bool {
        let text = trimmed(attribute).lowercased()
        return text.hasSameBytes(as: "max-age=0") || text.utf8.starts(with: "max-age=-".utf8)
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = Array(text.drop(while: isBlank))
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
