/// A text as the key of a dictionary or a member of a set, by its UTF-8 bytes: composed and decomposed are two.
package struct ByteKey: Hashable, Comparable, Sendable {
    package let text: String

    /// The key of `text`.
    package init(_ text: String) { self.text = text }

    /// Equal when the bytes are.
    package static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.hasSameBytes(as: right.text) }

    /// The order of the bytes.
    package static func < (left: ByteKey, right: ByteKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Feeds the bytes to the hasher.
    package func hash(into hasher: inout Hasher) {
        let bytes = text.utf8.span
        hasher.combine(bytes.count)
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
    }
}
