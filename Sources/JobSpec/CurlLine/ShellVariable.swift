internal import StrictJSON

/// A value that is not known yet, in a text that becomes a shell word: it is finally written as `"$NAME"`.
///
/// Inside URLs, fields and content it is a name between two characters of Unicode's private use area.
enum ShellVariable {
    private static let opening = "\u{E000}"
    private static let closing = "\u{E001}"

    /// The marked text of a variable.
    static func marked(_ name: String) -> String { opening + name + closing }

    /// The variable's name for a reference: letters, digits and `_`.
    static func name(_ reference: Binding.Reference) -> String {
        let words: [String] =
            switch reference.source {
            case .operation(let name): [name]
            case .item(let name): [name ?? "item"]
            case .parameter(let name): [name]
            case .job(let fact): ["job", fact.rawValue]
            case .secret(let name): [name]
            }
        return name(words + reference.at.tokens)
    }

    /// A name made of words.
    static func name(_ words: [String]) -> String {
        let text = words.joined(separator: "_").uppercased()
        var name = ""
        for byte in text.utf8.prefix(100) {
            let isPlain = byte &- 0x41 < 26 || byte &- 0x30 < 10
            name += isPlain ? String(Character(Unicode.Scalar(byte))) : "_"
        }
        return name.utf8.first.map { $0 &- 0x30 < 10 } ?? true ? "V_" + name : name
    }

    /// Splits a text at its variables: texts at even positions, names at odd ones. Percent-encoded marks count, too.
    static func split(_ text: String) -> [String] {
        let marks = text.replacing("%EE%80%80", with: opening).replacing("%EE%80%81", with: closing)
        guard marks.contains(opening) else { return [text] }
        var parts: [String] = []
        for piece in marks.split(separator: opening, omittingEmptySubsequences: false) {
            let sides = piece.split(separator: closing, maxSplits: 1, omittingEmptySubsequences: false)
            if sides.count == 2 {
                parts += [String(sides[0]), String(sides[1])]
            } else {
                parts.append(String(piece))
            }
        }
        return parts
    }
}

/// Words for a shell.
enum ShellQuote {
    /// A text as one word, with variables in double quotes and everything else quoted against expansion.
    static func word(_ text: String) -> String {
        var word = ""
        for (index, part) in ShellVariable.split(text).enumerated() {
            word += index.isMultiple(of: 2) ? literal(Array(part.utf8)) : "\"$\(part)\""
        }
        return word.isEmpty ? "''" : word
    }

    /// Bytes as one word; nil when they contain NUL, which no argument can.
    static func word(_ bytes: [UInt8]) -> String? {
        guard !bytes.contains(0) else { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return word(text) }
        return escaped(bytes)
    }

    private static func literal(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "" }
        let isPlain = bytes.allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x2B < 16 && byte != 0x2C || byte == 0x5F || byte == 0x3A
                || byte == 0x40
        }
        if isPlain { return String(decoding: bytes, as: UTF8.self) }
        if bytes.contains(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F }) {
            return escaped(bytes)
        }
        return "'" + String(decoding: bytes, as: UTF8.self).replacing("'", with: "'\\''") + "'"
    }

    private static func escaped(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        var text = "$'"
        for byte in bytes {
            switch byte {
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            case 0x09: text += "\\t"
            case 0x27, 0x5C: text += "\\" + String(Character(Unicode.Scalar(byte)))
            case 0x20..<0x7F: text += String(Character(Unicode.Scalar(byte)))
            default: text += "\\x\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return text + "'"
    }
}
