/// A token of a script of the page: what `TightScript` writes again.
struct ScriptToken: Equatable {
    enum Kind {
        /// A name or a keyword.
        case word
        /// A number or a mark; marks of several characters that matter here are one token (`=>`, `...`, `?.`, `++`).
        case number, mark
        /// A string or a regular expression.
        case literal
        /// Text of a template: up to its end, or to code in it (`${`).
        case template
    }

    let kind: Kind
    let text: String
    /// Whether it begins a line without indentation.
    let beginsLine: Bool

    /// Whether it is this mark.
    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }

    /// Whether it is a word out of these.
    func isWord(_ words: Set<String>) -> Bool { kind == .word && words.contains(text) }

    /// Whether it opens a delimiter, and whether it closes one; text between two codes of a template does both.
    var opens: Bool { kind == .mark ? "([{".contains(text) : kind == .template && text.hasSuffix("${") }
    var closes: Bool { kind == .mark ? ")]}".contains(text) : kind == .template && text.hasPrefix("}") }

    /// The tokens of a script, without comments.
    static func all(of script: String) -> [ScriptToken] {
        var reader = Reader(Array(script.utf8))
        reader.read()
        return reader.tokens
    }
}

/// Reads tokens. A slash after a value divides; elsewhere it begins a regular expression.
private struct Reader {
    private let bytes: [UInt8]
    private var at = 0
    private(set) var tokens: [ScriptToken] = []
    /// The open braces: whether each began code in a template.
    private var braces: [Bool] = []

    private static let longMarks = ["...", "=>", "?.", "++", "--"].map { Array($0.utf8) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() {
        while at < bytes.count {
            let start = at
            switch bytes[at] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"): at += 1
            case UInt8(ascii: "/") where hasPrefix("//"):
                while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
            case UInt8(ascii: "/") where hasPrefix("/*"):
                repeat { at += 1 } while at < bytes.count && !hasPrefix("*/")
                at += 2
            case UInt8(ascii: "/") where mayBeginExpression: literal(from: start)
            case UInt8(ascii: "\""), UInt8(ascii: "'"): literal(from: start)
            case UInt8(ascii: "`"): template(from: start)
            case UInt8(ascii: "}"):
                if braces.popLast() == true { template(from: start) } else { mark(from: start) }
            case let byte where Self.isWord(byte): word(from: start)
            default:
                if bytes[at] == UInt8(ascii: "{") { braces.append(false) }
                mark(from: start)
            }
        }
    }

    private func hasPrefix(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

    private mutating func add(_ kind: ScriptToken.Kind, from start: Int) {
        at = min(at, bytes.count)
        tokens.append(
            ScriptToken(
                kind: kind, text: String(decoding: bytes[start..<at], as: UTF8.self),
                beginsLine: start == 0 || bytes[start - 1] == UInt8(ascii: "\n")))
    }

    private mutating func mark(from start: Int) {
        at += Self.longMarks.first { bytes[at...].starts(with: $0) }?.count ?? 1
        add(.mark, from: start)
    }

    private mutating func word(from start: Int) {
        let isNumber = (0x30...0x39).contains(bytes[at])
        while at < bytes.count, Self.isWord(bytes[at]) || isNumber && bytes[at] == UInt8(ascii: ".") {
            at += 1
        }
        add(isNumber ? .number : .word, from: start)
    }

    /// A string, or a regular expression with its flags, whose end mark may occur inside brackets.
    private mutating func literal(from start: Int) {
        let end = bytes[at]
        var isBracket = false
        at += 1
        while at < bytes.count, bytes[at] != end || isBracket {
            if bytes[at] == UInt8(ascii: "\\") {
                at += 1
            } else if end == UInt8(ascii: "/"), bytes[at] == UInt8(ascii: "[") {
                isBracket = true
            } else if bytes[at] == UInt8(ascii: "]") {
                isBracket = false
            }
            at += 1
        }
        at += 1
        while end == UInt8(ascii: "/"), at < bytes.count, Self.isWord(bytes[at]) { at += 1 }
        add(.literal, from: start)
    }

    private mutating func template(from start: Int) {
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "`"), !hasPrefix("${") {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        if hasPrefix("${") {
            braces.append(true)
            at += 1
        }
        at += 1
        add(.template, from: start)
    }

    private var mayBeginExpression: Bool {
        guard let last = tokens.last else { return true }
        switch last.kind {
        case .mark: return ![")", "]", "}"].contains(last.text)
        case .word: return last.text == "return"
        case .template: return last.text.hasSuffix("${")
        case .number, .literal: return false
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x5F, 0x80...: true
        default: false
        }
    }
}
