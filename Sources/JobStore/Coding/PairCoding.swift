/// Pairs of texts as bytes: the length and UTF-8 of the first, then of the second; lengths are four bytes, big-endian.
package enum PairCoding {
    @inlinable
    package static func encode(_ pairs: some Sequence<(String, String)>) -> [UInt8] {
        var bytes: [UInt8] = []
        for (first, second) in pairs {
            append(first, to: &bytes)
            append(second, to: &bytes)
        }
        return bytes
    }

    @usableFromInline
    static func append(_ text: String, to bytes: inout [UInt8]) {
        let utf8 = text.utf8.span
        let count = UInt32(clamping: utf8.count)
        bytes.append(addingCapacity: utf8.count + 4) { (output: inout OutputSpan<UInt8>) in
            output.append(UInt8(truncatingIfNeeded: count >> 24))
            output.append(UInt8(truncatingIfNeeded: count >> 16))
            output.append(UInt8(truncatingIfNeeded: count >> 8))
            output.append(UInt8(truncatingIfNeeded: count))
            for index in utf8.indices { output.append(utf8[index]) }
        }
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
