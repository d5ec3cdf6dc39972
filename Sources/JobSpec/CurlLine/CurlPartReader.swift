internal import HTTPMessage

/// Reads the content of `-F` and its attributes as curl does: words end at `;`, are without the blanks around them, or
/// are in double quotes with `\"` and `\\`.
struct CurlPartReader {
    /// The content, or the path of a file.
    private(set) var content: [UInt8] = []
    private(set) var type: [UInt8]?
    private(set) var filename: [UInt8]?
    /// The attributes that change the part in other ways: `headers` and `encoder`.
    private(set) var others: [(name: String, value: [UInt8])] = []
    /// The first text that is behind a `;` or a quote and no attribute. curl leaves it out.
    private(set) var omitted: [UInt8]?
    /// Whether there is a type that curl refuses.
    private(set) var hasBadType = false
    /// Whether a comma ends the part, behind which the next file begins.
    private(set) var hasMore = false

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private let endsAtComma: Bool

    /// - Parameter endsAtComma: whether the part is one of several files.
    init(_ bytes: ArraySlice<UInt8>, endsAtComma: Bool = false) {
        self.bytes = bytes
        self.endsAtComma = endsAtComma
        index = bytes.startIndex
        skipBlanks()
        content = word()
        while peek == 0x3B, !hasBadType {
            index += 1
            skipBlanks()
            readAttribute()
        }
        hasMore = peek != nil && !hasBadType
    }

    /// The problem of a bad type.
    static func badType(_ option: String) -> String {
        "The type in \(option) is no media type. Write one such as type=text/plain."
    }

    private static let attributes = ["type", "filename", "headers", "encoder"]

    private mutating func readAttribute() {
        guard let name = Self.attributes.first(where: { begins(with: $0 + "=") }) else {
            let word = word()
            if !word.isEmpty { omitted = omitted ?? word }
            return
        }
        index += name.utf8.count + 1
        skipBlanks()
        switch name {
        case "type": readType()
        case "filename": filename = word()
        default: others.append((name, word()))
        }
    }

    /// A media type, which goes on behind a `;` unless an attribute begins there.
    private mutating func readType() {
        let begin = index
        let major = bytes[begin...].prefix { $0 != 0x2F && $0 != 0x20 }
        let minor = bytes[major.endIndex...].dropFirst().prefix { !";, \n".utf8.contains($0) }
        guard !major.isEmpty, bytes[major.endIndex...].first == 0x2F, !minor.isEmpty else {
            return hasBadType = true
        }
        index = minor.endIndex
        var end = index
        while let byte = peek, !endsAtComma || byte != 0x2C {
            if byte == 0x3B, isAttribute(behind: index) { break }
            index += 1
            if byte != 0x3B, !Self.isBlank(byte) { end = index }
        }
        type = Array(bytes[begin..<end])
    }

    private func isAttribute(behind semicolon: Int) -> Bool {
        var reader = self
        reader.index = semicolon + 1
        reader.skipBlanks()
        return Self.attributes.dropFirst().contains { reader.begins(with: $0 + "=") }
    }

    // MARK: Words

    private mutating func word() -> [UInt8] {
        if let quoted = quoted() { return quoted }
        let begin = index
        skipToEnd()
        let end = bytes[begin..<index].lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? begin
        return Array(bytes[begin..<end])
    }

    /// The bytes in double quotes, behind which curl leaves out what precedes the next `;`; nil without both quotes.
    private mutating func quoted() -> [UInt8]? {
        guard peek == 0x22 else { return nil }
        var found: [UInt8] = []
        var next = index + 1
        while next < bytes.endIndex {
            let byte = bytes[next]
            next += 1
            if byte == 0x22 {
                index = next
                let begin = index
                skipToEnd()
                let rest = bytes[begin..<index]
                if !rest.allSatisfy(Self.isBlank) { omitted = omitted ?? Array(rest) }
                return found
            }
            if byte == 0x5C, next < bytes.endIndex, bytes[next] == 0x22 || bytes[next] == 0x5C {
                found.append(bytes[next])
                next += 1
            } else {
                found.append(byte)
            }
        }
        return nil
    }

    private mutating func skipToEnd() {
        while let byte = peek, byte != 0x3B, !endsAtComma || byte != 0x2C { index += 1 }
    }

    private var peek: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = peek, Self.isBlank(byte) { index += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }

    private func begins(with word: String) -> Bool {
        let found = bytes[index...].prefix(word.utf8.count)
        // The words are letters and `=`.
        return found.elementsEqual(word.utf8) { found, wanted in
            found == wanted || (wanted != 0x3D && found | 0x20 == wanted && found &- 0x41 < 26)
        }
    }
}
