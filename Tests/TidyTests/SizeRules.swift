/// Size limits. A thing that exceeds them contains more than one idea.
enum SizeRules {
    static let fileLinesMax = 399
    static let functionLinesMax = 69
    static let codeColumnsMax = 110
    /// Lines with text in quotes, which cannot always be broken.
    static let quotedColumnsMax = 140
    /// Comments are not wrapped by the formatter and may be a little wider.
    static let commentColumnsMax = 120

    static func findings(in file: SourceFile) -> [Finding] {
        var found: [Finding] = []
        let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
        if count > fileLinesMax {
            found.append(
                Finding(path: file.path, line: count, message: "\(count) lines; at most \(fileLinesMax)"))
        }
        for (index, line) in file.lines.enumerated() {
            let most = columnsMax(of: line, code: file.code[index])
            let columns = line.unicodeScalars.count
            guard columns > most else { continue }
            found.append(
                Finding(path: file.path, line: index + 1, message: "\(columns) columns; at most \(most)"))
        }
        return found + longFunctions(in: file)
    }

    private static func columnsMax(of line: String, code: String) -> Int {
        if code.allSatisfy({ $0 == " " }) && line.drop(while: { $0 == " " }).hasPrefix("//") {
            return commentColumnsMax
        }
        return line == code ? codeColumnsMax : quotedColumnsMax
    }

    /// Functions, initialisers, subscripts and accessors whose body is too long.
    private static func longFunctions(in file: SourceFile) -> [Finding] {
        var found: [Finding] = []
        for (index, line) in file.code.enumerated() where startsFunction(line) {
            guard let end = lastLine(of: file.code, from: index) else { continue }
            let count = end - index + 1
            if count > functionLinesMax {
                found.append(
                    Finding(
                        path: file.path, line: index + 1,
                        message: "a function of \(count) lines; at most \(functionLinesMax)"))
            }
        }
        return found
    }

    private static func startsFunction(_ line: String) -> Bool {
        line.hasWord("func") || line.hasWord("deinit") || line.hasWord("subscript")
            || line.contains(" init(") || line.contains(" init<") || line.contains(" init?(")
    }

    /// The line of the closing brace of the body after `start`; nil when there is no body, as in a protocol.
    private static func lastLine(of code: [String], from start: Int) -> Int? {
        var depth = 0
        var parentheses = 0
        var opened = false
        for index in start..<code.count {
            for byte in code[index].utf8 {
                switch byte {
                case 0x28: parentheses += 1
                case 0x29: parentheses -= 1
                case 0x7B where parentheses <= 0 || opened:
                    depth += 1
                    opened = true
                case 0x7D where parentheses <= 0 || opened:
                    depth -= 1
                    if depth <= 0 { return opened ? index : nil }
                default: break
                }
            }
            if !opened && parentheses <= 0 && endsDeclaration(code, index) { return nil }
        }
        return nil
    }

    /// Whether a declaration without a body ends in this line: the next line begins another.
    private static func endsDeclaration(_ code: [String], _ index: Int) -> Bool {
        guard index + 1 < code.count else { return true }
        let next = code[index + 1].drop { $0 == " " }
        return
            !(next.hasPrefix("{") || next.hasPrefix("->") || next.hasPrefix("where")
            || next.hasPrefix("throws")
            || next.hasPrefix("async") || next.hasPrefix(")"))
    }
}
