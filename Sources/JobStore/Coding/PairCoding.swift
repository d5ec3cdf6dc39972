/// Pairs of texts as bytes: the length and UTF-8 of the first, then of the second; lengths are four bytes, big-endian.
package enum PairCoding {
    // Not generic: other modules run generic code unspecialised.
    package static func encode(_ pairs: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pairs.reduce(0) { $0 + 8 + $1.0.utf8.count + $1.1.utf8.count })
        for (first, second) in pairs {
            append(first, to: &bytes)
            append(second, to: &bytes)
        }
        return bytes
    }

    /// Appends a text of a pair.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        let count = UInt32(clamping: text.utf8.count)
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes += text.utf8
    }

    /// The pairs in `bytes`; a truncated one is omitted.
    package static func decode(_ bytes: [UInt8]) -> [(String, String)] {
        var texts: [String] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= count else { break }
            texts.append(String(decoding: rest.prefix(count), as: UTF8.self))
            rest = rest.dropFirst(count)
        }
        return stride(from: 0, to: texts.count - texts.count % 2, by: 2).map { (texts[$0], texts[$0 + 1]) }
    }
}
