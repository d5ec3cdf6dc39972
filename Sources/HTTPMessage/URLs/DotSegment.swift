/// Segments of a path that mean "here" and "one up" (RFC 3986 §3.3), in every spelling that some server accepts.
enum DotSegment {
    /// The maximum number of decodings of a text: some servers decode again behind a proxy that already did.
    private static let decodingsMax = 4

    /// Whether a segment is a dot segment, or may be split into several of which one is: percent-encoded (`%2e%2E`,
    /// `%252e.`), with parameters (`..;x=1`), or with an encoded slash or backslash (`..%2Fx`).
    static func isOne(_ segment: ArraySlice<UInt8>) -> Bool {
        var text = Array(segment)
        for _ in 0..<decodingsMax {
            if hasDots(text) { return true }
            let next = decoded(text)
            if next.count == text.count { return false }
            text = next
        }
        return hasDots(text)
    }

    private static func hasDots(_ text: [UInt8]) -> Bool {
        text.split(omittingEmptySubsequences: true) { $0 == 0x2F || $0 == 0x5C }.contains { part in
            let name = part.prefix { $0 != 0x3B }
            return (1...2).contains(name.count) && name.allSatisfy { $0 == 0x2E }
        }
    }

    /// The text with its well-formed escapes decoded.
    private static func decoded(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == 0x25, text.count - index >= 3, let high = text[index + 1].hexDigitValue,
                let low = text[index + 2].hexDigitValue
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(text[index])
                index += 1
            }
        }
        return output
    }
}
