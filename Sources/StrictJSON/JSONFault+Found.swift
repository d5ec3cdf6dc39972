/// Describes what an error found, with remedies for habits from other languages.
extension JSONFault {
    /// The input at `offset`, in words: a character in quotes, a word, the end, or a byte.
    static func found(_ bytes: Span<UInt8>, at offset: Int) -> String {
        guard offset < bytes.count else { return "the end of the document" }
        let word = word(bytes, at: offset)
        if word.utf8.count > 1 { return quoted(word) }
        switch bytes[offset] {
        case 0x0A, 0x0D: return "a line break"
        case 0x09: return "a tab"
        case 0x20: return "a space"
        case UInt8(ascii: "\""): return "a double quote"
        case 0x21...0x7E: return "\"\(Unicode.Scalar(bytes[offset]))\""
        case 0x80...: return foundBeyondASCII(bytes, at: offset)
        default: return "the control character U+00" + hex(UInt32(bytes[offset]), digits: 2)
        }
    }

    private static func foundBeyondASCII(_ bytes: Span<UInt8>, at offset: Int) -> String {
        guard let scalar = scalar(bytes, at: offset) else {
            return "the byte 0x" + hex(UInt32(bytes[offset]), digits: 2) + ", which is not UTF-8"
        }
        let code = "U+" + hex(scalar.value, digits: 4)
        switch scalar.value {
        case 0xA0, 0x2000...0x200F, 0x2028, 0x2029, 0x202F, 0x3000, 0xFEFF:
            return "the invisible character \(code)"
        case 0x201C...0x201F, 0x2018...0x201B: return "the typographic quote \(code)"
        case 0x00...0x9F: return "the control character \(code)"
        default: return "the character \(code)"
        }
    }

    /// The character that starts at `offset`, when its bytes are valid.
    static func scalar(_ bytes: Span<UInt8>, at offset: Int) -> Unicode.Scalar? {
        for count in 1...4 where offset + count <= bytes.count {
            guard let text = try? UTF8Span(validating: bytes.extracting(offset..<offset + count)) else {
                continue
            }
            return String(copying: text).unicodeScalars.first
        }
        return nil
    }

    /// The remedy for a habit from another language; nil when none is recognised.
    static func valueRemedy(_ bytes: Span<UInt8>, at offset: Int) -> String? {
        switch word(bytes, at: offset) {
        case "True", "TRUE", "yes", "on": return "Write true in small letters."
        case "False", "FALSE", "no", "off": return "Write false in small letters."
        case "None", "nil", "Null", "NULL", "undefined": return "Write null."
        case "NaN", "Infinity", "nan", "inf", "Inf": return "JSON has no such number; use null or a string."
        case "": break
        default: return "Write text in double quotes."
        }
        switch bytes[offset] {
        case UInt8(ascii: "'"), UInt8(ascii: "`"): return "Write strings in double quotes."
        case UInt8(ascii: "+"): return "Write positive numbers without a sign."
        case UInt8(ascii: "."): return "Write a digit before the decimal point, as in 0.5."
        case UInt8(ascii: ","): return "Remove the comma, or write the value that is missing before it."
        default: return commentRemedy(bytes, at: offset)
        }
    }

    /// The remedy for a comment or a typographic quote; nil when there is none.
    static func commentRemedy(_ bytes: Span<UInt8>, at offset: Int) -> String? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case UInt8(ascii: "#"): return "JSON has no comments; remove it."
        case UInt8(ascii: "/"): return "JSON has no comments; remove it."
        case 0xE2: return "Use plain double quotes and plain spaces."
        case 0xC2, 0xE3, 0xEF: return "Use only spaces, tabs and line breaks between values."
        default: return nil
        }
    }

    /// The ASCII letters, digits and underscores from `offset` on, at most 24 of them.
    static func word(_ bytes: Span<UInt8>, at offset: Int) -> String {
        var letters: [UInt8] = []
        var index = offset
        while index < bytes.count, letters.count < 24 {
            let byte = bytes[index]
            let isLetter = byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
            guard isLetter || byte == UInt8(ascii: "_") || byte &- 0x30 < 10 else { break }
            letters.append(byte)
            index += 1
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// A name in double quotes, written as JSON and truncated to 60 characters.
    static func quoted(_ name: String) -> String {
        let start = String(name.unicodeScalars.prefix(60))
        var writer = JSONWriter()
        writer.value(start.hasSameBytes(as: name) ? name : start + "…")
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A number in upper-case hexadecimal digits with leading zeros.
    static func hex(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
