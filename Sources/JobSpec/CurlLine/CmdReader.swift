/// Splits a script for cmd of Windows into commands and words: the carets and line ends of cmd, then the double quotes
/// and backslashes of the C library with which curl reads its arguments. Browsers copy such lines.
///
/// Nothing is expanded or run. Commands end at a line end, at `&` and at `&&`.
struct CmdReader {
    /// The commands, each with at least one word.
    private(set) var commands: [[ShellWord]] = []
    /// The problems, in the order of the script.
    private(set) var problems: [ShellProblem] = []
    /// Parts that are probably not meant.
    private(set) var remarks: [ShellProblem] = []

    /// A byte behind the carets, with its position.
    private struct Letter {
        let byte: UInt8
        let place: ShellPlace
    }

    private let bytes: [UInt8]
    private var index = 0
    private var place = ShellPlace()
    private var isQuoted = false
    /// Whether carets escape between double quotes, too, as a browser writes them there; to cmd they are text.
    private let escapesInQuotes: Bool
    private var letters: [Letter] = []
    private var wordCount = 0
    private var remarked: Set<String> = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        escapesInQuotes = ["^\\^\"", "^%^", "\"^{", "\"^["].contains { bytes.position(of: $0) != nil }
        while problems.count < ShellReader.problemsMax, wordCount <= ShellReader.wordsMax, let byte = peek() {
            read(byte)
        }
        endCommand()
        guard wordCount > ShellReader.wordsMax else { return }
        note(
            "The script has more than \(ShellReader.wordsMax) words. Send much content as one -d, many calls as several "
                + "scripts, and everything else as a JSON spec.")
    }

    /// Whether a script is for cmd: a caret begins a quote or ends a line, or stands where no shell has one, or quotes
    /// are doubled in a script that has nothing of a shell.
    static func reads(_ script: [UInt8]) -> Bool {
        var quote: UInt8?
        var index = 0
        var (doublesQuotes, isShell) = (false, false)
        while index < script.count {
            let byte = script[index]
            let before = index == 0 ? 0x20 : script[index - 1]
            let next = index + 1 < script.count ? script[index + 1] : nil
            let isBegin = before == 0x20 || before == 0x09 || before == 0x0A
            switch (byte, quote) {
            case (0x27, nil):
                quote = before == 0x24 ? 0x24 : 0x27
                isShell = true
            case (0x22, nil): quote = 0x22
            case (0x22, 0x22?):
                quote = nil
                // A shell takes what is between for one word, without any quotes.
                let behind = index + 2 < script.count ? script[index + 2] : 0x20
                if next == 0x22, !" \t\r\n".utf8.contains(behind) { doublesQuotes = true }
            case (0x27, 0x27?), (0x27, 0x24?): quote = nil
            case (0x5C, nil):
                isShell = isShell || next == 0x0A
                index += 1
            case (0x5C, 0x22?), (0x5C, 0x24?): index += 1
            case (0x23, nil) where isBegin: while index < script.count, script[index] != 0x0A { index += 1 }
            case (0x5E, nil) where isBegin:
                let next = script[(index + 1)...].drop { $0 == 0x0D }.first
                if next == 0x22 || next == 0x0A || next == nil { return true }
            case (0x5E, 0x22?):
                let rest = script[index...]
                if rest.starts(with: "^\\^\"".utf8) || rest.starts(with: "^%^".utf8) { return true }
            default: break
            }
            index += 1
        }
        return doublesQuotes && !isShell
    }

    // MARK: cmd

    private mutating func read(_ byte: UInt8) {
        switch byte {
        case 0x5E where !isQuoted || escapesInQuotes: readCaret()
        case 0x22:
            isQuoted.toggle()
            take(byte)
        case 0x0D where peek(1) == 0x0A: advance()
        case 0x0A:
            if isQuoted {
                note("The line ends between double quotes. Write ^ and two line ends for one in the text.")
            }
            endCommand()
            advance()
        case 0x26 where !isQuoted:
            endCommand()
            advance()
        case 0x7C where !isQuoted: readOperator("A pipe is not taken: only the call itself becomes a job.")
        case 0x3C where !isQuoted, 0x3E where !isQuoted:
            readOperator(
                "A redirection is not taken: the server reads and writes no files of yours. Leave it out.")
        case 0:
            note("NUL cannot be in an argument. Send such content as base64 in a JSON spec.")
            advance()
        default: take(byte)
        }
    }

    /// A caret takes the next byte as it is. A line end behind it is dropped, and another one behind that is text.
    private mutating func readCaret() {
        advance()
        if readLineEnd() {
            let begin = place
            if readLineEnd() { letters.append(Letter(byte: 0x0A, place: begin)) }
        } else if let byte = peek() {
            if byte == 0x20 { remark(Self.blank, at: place) }
            take(byte)
        }
    }

    private mutating func readLineEnd() -> Bool {
        guard peek() == 0x0A || peek() == 0x0D && peek(1) == 0x0A else { return false }
        while peek() != 0x0A { advance() }
        advance()
        return true
    }

    private mutating func remark(_ detail: String, at place: ShellPlace) {
        guard remarked.insert(detail).inserted else { return }
        remarks.append(ShellProblem(place: place, detail: detail))
    }

    private static let blank =
        "\"^ \" is a blank. A browser writes it for cmd in place of a character beyond ASCII; copy the line for bash if "
        + "there was one."
    private static let backslashes =
        "Two backslashes are two, as curl reads them. A browser writes them for cmd in place of one; copy the line for "
        + "bash if it means one."

    private mutating func readOperator(_ detail: String) {
        note(detail)
        while peek() != nil, peek() != 0x0A { advance() }
    }

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

    private mutating func take(_ byte: UInt8) {
        letters.append(Letter(byte: byte, place: place))
        advance()
    }

    private mutating func note(_ detail: String) {
        guard problems.count < ShellReader.problemsMax else { return }
        problems.append(ShellProblem(place: place, detail: detail))
    }

    // MARK: Words

    private mutating func endCommand() {
        isQuoted = false
        var words: [ShellWord] = []
        var rest = letters[...]
        while wordCount <= ShellReader.wordsMax, let word = word(&rest) {
            if word.bytes.first == 0x27 {
                problems.append(
                    ShellProblem(
                        place: word.place,
                        detail:
                            "The line is for cmd of Windows, because of its carets, and single quotes are no quotes "
                            + "there. Write double quotes, or a line for bash, with \\ in place of ^."))
                words = []
                break
            }
            words.append(word)
            wordCount += 1
        }
        if !words.isEmpty { commands.append(words) }
        letters = []
    }

    /// The next word: backslashes are text but before a double quote, and two double quotes between others are one.
    private mutating func word(_ rest: inout ArraySlice<Letter>) -> ShellWord? {
        rest = rest.drop { $0.byte == 0x20 || $0.byte == 0x09 }
        guard let first = rest.first else { return nil }
        var word = ShellWord(bytes: [], place: first.place)
        var isQuoted = false
        while let byte = rest.first?.byte, isQuoted || byte != 0x20 && byte != 0x09 {
            if byte == 0x5C {
                let run = rest.prefix { $0.byte == 0x5C }.count
                rest = rest.dropFirst(run)
                guard rest.first?.byte == 0x22 else {
                    word.bytes += Array(repeating: 0x5C, count: run)
                    if run > 1 { remark(Self.backslashes, at: word.place) }
                    continue
                }
                word.bytes += Array(repeating: 0x5C, count: run / 2)
                if run % 2 == 1 {
                    word.bytes.append(0x22)
                    rest = rest.dropFirst()
                }
            } else if byte == 0x22 {
                rest = rest.dropFirst()
                if isQuoted, rest.first?.byte == 0x22 {
                    word.bytes.append(0x22)
                    rest = rest.dropFirst()
                } else {
                    isQuoted.toggle()
                }
            } else {
                word.bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return word
    }
}
