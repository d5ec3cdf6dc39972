/// Pairs of texts as bytes: for each pair the length of the first and its UTF-8, then those of the second; lengths
/// are four bytes, the highest first.
enum PairCoding {
    /// The bytes of `pairs`.
    static func encode(_ pairs: some Sequence<(String, String)>) -> [UInt8] {
        var bytes: [UInt8] = []
        for (first, second) in pairs {
            for text in [first, second] {
                let count = UInt32(clamping: text.utf8.count)
                for shift in [24, 16, 8, 0] {
                    bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
                }
                bytes += text.utf8
            }
        }
        return bytes
    }

    /// The pairs in `bytes`; what is cut off is left out.
    static func decode(_ bytes: [UInt8]) -> [(String, String)] {
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
