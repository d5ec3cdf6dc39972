/// The links in the fields `Link` of an answer (RFC 8288).
package enum LinkField {
    /// The text is no list of links.
    package struct Malformed: Error {}

    /// The target of the first link with this relation, as written; nil when there is none. A link with an `anchor` is
    /// about another resource and does not count.
    /// - Parameters:
    ///   - relation: a relation type, whose case does not count.
    ///   - values: the values of all fields `Link`, in order.
    /// - Throws: when a value cannot be read up to its end: a link that is not seen would seem to be absent.
    package static func target(of relation: String, in values: [String]) throws(Malformed) -> String? {
        var found: String?
        for value in values {
            var reader = FieldValueReader(value)
            reader.skipToElement()
            while !reader.isAtEnd {
                let link = try Link(reading: &reader)
                if found == nil, !link.hasAnchor, link.has(relation) { found = link.target }
                reader.skipToElement()
            }
        }
        return found
    }
}

private struct Link {
    let target: String
    private var relations: String?
    private(set) var hasAnchor = false

    init(reading reader: inout FieldValueReader) throws(LinkField.Malformed) {
        guard reader.take(UInt8(ascii: "<")) else { throw LinkField.Malformed() }
        target = String(decoding: reader.takeUntil([UInt8(ascii: ">")]), as: UTF8.self)
        guard reader.take(UInt8(ascii: ">")) else { throw LinkField.Malformed() }
        reader.skipBlanks()
        while reader.take(UInt8(ascii: ";")) {
            reader.skipBlanks()
            if reader.isAtEnd || reader.peek == UInt8(ascii: ";") || reader.peek == UInt8(ascii: ",") {
                continue
            }
            try take(parameterFrom: &reader)
            reader.skipBlanks()
        }
        guard reader.isAtEnd || reader.peek == UInt8(ascii: ",") else { throw LinkField.Malformed() }
    }

    private mutating func take(parameterFrom reader: inout FieldValueReader) throws(LinkField.Malformed) {
        guard let name = reader.takeToken() else { throw LinkField.Malformed() }
        var value = ""
        reader.skipBlanks()
        if reader.take(UInt8(ascii: "=")) {
            reader.skipBlanks()
            if reader.peek == UInt8(ascii: "\"") {
                guard let quoted = reader.takeQuoted() else { throw LinkField.Malformed() }
                value = quoted
            } else {
                // Slashes and colons stand in many values without quotation marks.
                let rest = reader.takeUntil([UInt8(ascii: ";"), UInt8(ascii: ",")])
                value = String(decoding: rest, as: UTF8.self)
            }
        }
        // Of several the first counts.
        if name.equalsIgnoringASCIICase("rel") { relations = relations ?? value }
        if name.equalsIgnoringASCIICase("anchor") { hasAnchor = true }
    }

    func has(_ relation: String) -> Bool {
        guard let relations else { return false }
        return relations.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
            .contains { String(Substring($0)).equalsIgnoringASCIICase(relation) }
    }
}
