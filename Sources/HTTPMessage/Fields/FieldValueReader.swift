/// Reads the common parts of structured field values: tokens, quoted strings, blanks and delimiters (RFC 9110 §5.6).
struct FieldValueReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    var isAtEnd: Bool { position == text.count }

    var peek: UInt8? { position < text.count ? text[position] : nil }

    mutating func skipBlanks() {
        while let byte = peek, byte.isBlankByte { position += 1 }
    }

    /// Skips to the next list element: blanks and commas.
    mutating func skipToElement() {
        while let byte = peek, byte.isBlankByte || byte == 0x2C { position += 1 }
    }

    /// Skips the rest of a malformed list element, including quoted strings; everything when a string is unterminated,
    /// since the text is scanned only once.
    mutating func skipElement() {
        while let byte = peek, byte != 0x2C {
            if byte != 0x22 {
                position += 1
            } else if takeQuoted() == nil {
                position = text.count
            }
        }
    }

    /// Takes this byte when it is next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    /// A token, or nil.
    mutating func takeToken() -> String? {
        let start = position
        while let byte = peek, byte.isTokenByte { position += 1 }
        return position > start ? String(decoding: text[start..<position], as: UTF8.self) : nil
    }

    /// The unescaped content of a quoted string, or nil without consuming anything.
    mutating func takeQuoted() -> String? {
        guard peek == 0x22 else { return nil }
        var index = position + 1
        var content: [UInt8] = []
        while index < text.count {
            var byte = text[index]
            if byte == 0x22 {
                position = index + 1
                return String(decoding: content, as: UTF8.self)
            }
            if byte == 0x5C {
                index += 1
                guard index < text.count else { return nil }
                byte = text[index]
            }
            guard byte.isFieldValueByte else { return nil }
            content.append(byte)
            index += 1
        }
        return nil
    }

    /// A token or a quoted string.
    mutating func takeTokenOrQuoted() -> String? {
        peek == 0x22 ? takeQuoted() : takeToken()
    }

    /// The bytes up to the next of `marks` or the end, unchecked.
    mutating func takeUntil(_ marks: [UInt8]) -> ArraySlice<UInt8> {
        let start = position
        while let byte = peek, !marks.contains(byte) { position += 1 }
        return text[start..<position]
    }
}

extension String {
    /// The text with ASCII capitals in lower case.
    package var asciiLowercased: String {
        String(decoding: utf8.map(\.lowercasedByte), as: UTF8.self)
    }

    /// Whether the texts are equal, ignoring the case of ASCII letters.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedByte == $1.lowercasedByte }
    }
}
