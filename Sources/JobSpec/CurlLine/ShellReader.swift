/// Splits a script into commands and words as a POSIX shell does (Shell Command Language, §2.2 and §2.3), with `$'…'`.
///
/// Nothing is expanded or run: variables, command substitution, pipes, redirections and background commands are
/// problems with their position. `"$(printf '…')"` with nothing to fill in, which exported lines contain, is a text.
/// Commands end at a line end, at `;` and at `&&`.
struct ShellReader {
    /// The maximum number of words.
    static let wordsMax = 10_000
    /// The number of problems after which it stops.
    static let problemsMax = 100

    /// The commands, each with at least one word.
    private(set) var commands: [[ShellWord]] = []
    /// The problems, in the order of the script.
    private(set) var problems: [ShellProblem] = []

    private let bytes: [UInt8]
    private var index = 0
    private var place = ShellPlace()
    private var words: [ShellWord] = []
    /// The number of words so far.
    private var wordCount = 0
    /// The position of the last word.
    private var lastPlace = ShellPlace()
    private var word: ShellWord?
    /// Whether the next word is the target of a redirection.
    private var dropsWord = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        while problems.count < Self.problemsMax, wordCount <= Self.wordsMax, let byte = peek() { read(byte) }
        endCommand()
        guard wordCount > Self.wordsMax else { return }
        note(
            "The script has more than \(Self.wordsMax) words. Send much content as one -d, many calls as several "
                + "scripts, and everything else as a JSON spec.", at: lastPlace)
    }

    private mutating func read(_ byte: UInt8) {
        switch byte {
        case 0x20, 0x09:
            endWord()
            advance()
        case 0x0A:
            endCommand()
            advance()
        case 0x0D where peek(1) == 0x0A: advance()
        case 0x23 where word == nil: skipComment()
        case 0x5C: readEscape()
        case 0x27: readSingleQuotes()
        case 0x22: readDoubleQuotes()
        case 0x24: readDollar(isQuoted: false)
        case 0x60: readSubstitution()
        case 0x3B, 0x26, 0x7C, 0x3C, 0x3E, 0x28, 0x29: readOperator(byte)
        case 0x7E where word == nil: readTilde()
        default: take(byte)
        }
    }

    // MARK: Bytes

    private func peek(_ distance: Int = 0) -> UInt8? {
        index + distance < bytes.count ? bytes[index + distance] : nil
    }

    private mutating func advance() {
        guard let byte = peek() else { return }
        index += 1
        if byte == 0x0A {
            place = ShellPlace(line: place.line + 1, column: 1)
        } else {
            place.column += 1
        }
    }

    private mutating func beginWord() { if word == nil { word = ShellWord(bytes: [], place: place) } }

    private mutating func take(_ byte: UInt8) {
        beginWord()
        append(byte)
        advance()
    }

    private mutating func append(_ byte: UInt8) {
        if byte == 0 {
            note("NUL cannot be in an argument. Send such content as base64 in a JSON spec.")
        } else {
            word?.bytes.append(byte)
        }
    }

    private mutating func endWord() {
        guard let word else { return }
        if dropsWord { dropsWord = false } else { words.append(word) }
        self.word = nil
        wordCount += 1
        lastPlace = word.place
    }

    private mutating func endCommand() {
        endWord()
        dropsWord = false
        if !words.isEmpty { commands.append(words) }
        words = []
    }

    private mutating func note(_ detail: String, at place: ShellPlace? = nil) {
        guard problems.count < Self.problemsMax else { return }
        problems.append(ShellProblem(place: place ?? self.place, detail: detail))
    }

    // MARK: Quotes

    private mutating func skipComment() {
        while let byte = peek(), byte != 0x0A { advance() }
    }

    private mutating func readEscape() {
        if peek(1) == 0x0A || (peek(1) == 0x0D && peek(2) == 0x0A) {
            while peek() != 0x0A { advance() }
            return advance()
        }
        beginWord()
        advance()
        if let byte = peek() {
            append(byte)
            advance()
        }
    }

    private mutating func readSingleQuotes() {
        let begin = place
        beginWord()
        advance()
        while let byte = peek() {
            if byte == 0x27 { return advance() }
            append(byte)
            advance()
        }
        note("The single quote that begins here has no end.", at: begin)
    }

    private mutating func readDoubleQuotes() {
        let begin = place
        beginWord()
        advance()
        while let byte = peek() {
            switch byte {
            case 0x22: return advance()
            case 0x24: readDollar(isQuoted: true)
            case 0x60: readSubstitution()
            case 0x5C:
                switch peek(1) {
                case 0x0A:
                    advance()
                    advance()
                case 0x24, 0x60, 0x22, 0x5C:
                    advance()
                    append(peek() ?? byte)
                    advance()
                default:
                    append(byte)
                    advance()
                }
            default:
                append(byte)
                advance()
            }
        }
        note("The double quote that begins here has no end.", at: begin)
    }

    private mutating func readDollar(isQuoted: Bool) {
        if !isQuoted && peek(1) == 0x27 { return readEscapedQuotes() }
        if isQuoted, let printed = Printed(bytes[index...]) { return take(printed) }
        let next = peek(1) ?? 0x20
        let isName = next == 0x5F || (next | 0x20) &- 0x61 < 26
        guard isName || next &- 0x30 < 10 || "{(@*#?$!-".utf8.contains(next) || (!isQuoted && next == 0x22)
        else {
            return take(0x24)
        }
        let begin = place
        beginWord()
        advance()
        var name = ""
        while let byte = peek(), byte == 0x5F || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 {
            name.unicodeScalars.append(Unicode.Scalar(byte))
            advance()
        }
        let shown = name.isEmpty ? "$" : "$" + name
        note(
            "\(shown) would be expanded by a shell, and there is none here. Write the value itself, in single quotes "
                + "if it contains a literal \"$\".", at: begin)
    }

    private mutating func readSubstitution() {
        note("A command in backticks would be run by a shell, and there is none here. Write its output.")
        beginWord()
        advance()
        while let byte = peek(), byte != 0x60 { advance() }
        advance()
    }

    private mutating func readTilde() {
        if peek(1).map({ " \t\n/".utf8.contains($0) }) ?? true {
            note("~ would become a home directory in a shell, and there is none here.")
        }
        take(0x7E)
    }

    // MARK: Operators

    private mutating func readOperator(_ byte: UInt8) {
        let isDouble = peek(1) == byte
        switch (byte, isDouble) {
        case (0x26, true):
            endCommand()
            advance()
        case (0x3B, false): endCommand()
        case (0x7C, true): note("|| is not taken: use a group with after and \"on\": \"failed\".")
        case (0x7C, false): note("A pipe is not taken: only the call itself becomes a job.")
        case (0x3C, _), (0x3E, _):
            note("A redirection is not taken: the server reads and writes no files of yours. Leave it out.")
        case (0x26, false): note("& is not taken: every job runs in the background.")
        default:
            note(
                "\"\(Character(Unicode.Scalar(byte)))\" is not taken here. Put it in quotes if it is part of a value."
            )
        }
        if byte == 0x3C || byte == 0x3E {
            if word?.bytes.allSatisfy({ $0 &- 0x30 < 10 }) ?? false { word = nil }
            endWord()
            dropsWord = true
            if peek(1) == 0x26 { advance() }
        }
        endWord()
        advance()
        if isDouble && byte != 0x26 && byte != 0x28 { advance() }
    }
}

// MARK: $'…'

extension ShellReader {
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "a"): 0x07,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "e"): 0x1B, UInt8(ascii: "E"): 0x1B, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "v"): 0x0B, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "'"): 0x27,
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "?"): 0x3F,
    ]

    private mutating func readEscapedQuotes() {
        let begin = place
        beginWord()
        advance()
        advance()
        while let byte = peek() {
            if byte == 0x27 { return advance() }
            if byte == 0x5C, peek(1) != nil {
                readANSIEscape()
            } else {
                append(byte)
                advance()
            }
        }
        note("The $' that begins here has no end.", at: begin)
    }

    private mutating func readANSIEscape() {
        advance()
        guard let byte = peek() else { return }
        switch byte {
        case UInt8(ascii: "x"): readCode(digits: 2, base: 16, isScalar: false)
        case UInt8(ascii: "u"): readCode(digits: 4, base: 16, isScalar: true)
        case UInt8(ascii: "U"): readCode(digits: 8, base: 16, isScalar: true)
        case UInt8(ascii: "0")...UInt8(ascii: "7"): readNumber(digits: 3, base: 8, isScalar: false)
        case UInt8(ascii: "c"):
            advance()
            append((peek() ?? 0) & 0x1F)
            advance()
        default:
            if Self.escapes[byte] == nil { append(0x5C) }
            append(Self.escapes[byte] ?? byte)
            advance()
        }
    }

    private mutating func readCode(digits: Int, base: UInt32, isScalar: Bool) {
        advance()
        readNumber(digits: digits, base: base, isScalar: isScalar)
    }

    private mutating func readNumber(digits: Int, base: UInt32, isScalar: Bool) {
        let begin = place
        var code: UInt32 = 0
        var count = 0
        while count < digits, let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
            digit < base
        {
            code = code &* base &+ UInt32(digit)
            count += 1
            advance()
        }
        if count == 0 { return note("An escape in $'…' has no digits.", at: begin) }
        guard isScalar else { return append(UInt8(truncatingIfNeeded: code)) }
        if code & 0xFFFF_FC00 == 0xD800, let low = readLowSurrogate() {
            code = 0x1_0000 + (code & 0x3FF) << 10 + low & 0x3FF
        }
        guard let scalar = Unicode.Scalar(code) else {
            let isHalf = 0xD800...0xDFFF ~= code
            return note(
                isHalf
                    ? "An escape in $'…' is half of a character: \\ud83d\\ude00 are two halves of one."
                    : "An escape in $'…' is no character.", at: begin)
        }
        for byte in String(Character(scalar)).utf8 { append(byte) }
    }

    /// Takes the second half of a character, as browsers write one beyond U+FFFF: `\ud83d\ude00`.
    private mutating func readLowSurrogate() -> UInt32? {
        guard peek() == 0x5C, peek(1) == UInt8(ascii: "u") else { return nil }
        var code: UInt32 = 0
        for distance in 2..<6 {
            guard let byte = peek(distance), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                return nil
            }
            code = code << 4 | UInt32(digit)
        }
        guard code & 0xFC00 == 0xDC00 else { return nil }
        for _ in 0..<6 { advance() }
        return code
    }
}

// MARK: printf

extension ShellReader {
    private mutating func take(_ printed: Printed) {
        beginWord()
        for byte in printed.bytes { append(byte) }
        for _ in 0..<printed.length { advance() }
    }

    /// `$(printf 'FORMAT')` with a format of literal bytes, `%%` and octal escapes of three digits.
    private struct Printed {
        /// The output, without the line feeds at its end, which a command substitution drops.
        private(set) var bytes: [UInt8] = []
        /// The number of bytes in the script.
        private(set) var length = 0

        /// Nil when something else begins there.
        init?(_ script: ArraySlice<UInt8>) {
            let begin = "$(printf '".utf8
            guard script.starts(with: begin) else { return nil }
            var rest = script.dropFirst(begin.count)
            while let byte = rest.popFirst(), byte != 0x27 {
                switch byte {
                case 0x25:
                    guard rest.popFirst() == 0x25 else { return nil }
                    bytes.append(byte)
                case 0x5C:
                    let digits = rest.prefix(3)
                    guard digits.count == 3, digits.allSatisfy({ $0 &- 0x30 < 8 }) else { return nil }
                    rest.removeFirst(3)
                    let code = digits.reduce(UInt32(0)) { $0 << 3 | UInt32($1 - 0x30) }
                    guard code < 0x100 else { return nil }
                    bytes.append(UInt8(code))
                default: bytes.append(byte)
                }
            }
            guard rest.popFirst() == 0x29 else { return nil }
            length = rest.startIndex - script.startIndex
            while bytes.last == 0x0A { bytes.removeLast() }
        }
    }
}
