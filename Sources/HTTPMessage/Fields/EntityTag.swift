/// A validator of one state of a resource (RFC 9110 §8.8.3): `"abc"`, or weak `W/"abc"`.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes.
    package let opaque: String
    /// Whether equal tags mean equivalent rather than identical content.
    package let isWeak: Bool

    /// A tag with this text; nil when it holds a quote, a blank or a control byte.
    package init?(opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Parses a tag as in an ETag field.
    package init?(_ text: String) {
        var reader = FieldValueReader(text)
        guard let read = EntityTag(reading: &reader), reader.isAtEnd else { return nil }
        self = read
    }

    init?(reading reader: inout FieldValueReader) {
        let isWeak = reader.take(0x57)
        if isWeak, !reader.take(0x2F) { return nil }
        guard reader.take(0x22) else { return nil }
        let opaque = reader.takeUntil([0x22])
        guard reader.take(0x22), opaque.allSatisfy(Self.isTagByte) else { return nil }
        self.opaque = String(decoding: opaque, as: UTF8.self)
        self.isWeak = isWeak
    }

    /// Strong comparison (RFC 9110 §8.8.3.2): both strong and the same text.
    package func isIdentical(to other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && hasSameOpaque(other)
    }

    /// Weak comparison: the same text.
    package func isEquivalent(to other: EntityTag) -> Bool {
        hasSameOpaque(other)
    }

    /// Whether the list of an If-None-Match field contains this tag, compared weakly; `*` matches every tag. Everything
    /// after a malformed element is ignored.
    package func isNamed(inIfNoneMatch list: String) -> Bool {
        isNamed(in: list) { isEquivalent(to: $0) }
    }

    /// Whether the list of an If-Match field contains this tag, compared strongly; `*` matches every tag.
    package func isNamed(inIfMatch list: String) -> Bool {
        isNamed(in: list) { isIdentical(to: $0) }
    }

    /// The tag as in an ETag field.
    package var description: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    private func hasSameOpaque(_ other: EntityTag) -> Bool {
        opaque.utf8.elementsEqual(other.opaque.utf8)
    }

    private func isNamed(in list: String, by matches: (EntityTag) -> Bool) -> Bool {
        var reader = FieldValueReader(list)
        reader.skipToElement()
        if reader.take(0x2A) {
            reader.skipBlanks()
            return reader.isAtEnd
        }
        while let tag = EntityTag(reading: &reader) {
            if matches(tag) { return true }
            reader.skipToElement()
        }
        return false
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
    }
}
