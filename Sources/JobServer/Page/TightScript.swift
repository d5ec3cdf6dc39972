/// Writes a script of the page without insignificant spaces and with short names for its variables: a quarter less to
/// transfer and to parse.
///
/// A name is replaced by the same short one wherever it is a variable, so scopes need no attention. Members that a
/// class defines and only `this` reaches get short names, too. Other members, what browsers define and keywords keep
/// theirs. A variable is told from a member by the tokens around it, which suffices for modules that keep the rules of
/// Docs/Page.md; a test in a browser compares the result with the modules.
struct TightScript {
    /// The tight form of a script.
    static func make(_ script: String) -> String {
        let all = withoutNeedlessMarks(withArrowFunctions(ScriptToken.all(of: script)))
        let tokens = withShortConstants(withOneDeclaration(all))
        var reader = TightScript(tokens: tokens)
        let roles = tokens.indices.map { reader.role(at: $0) }
        return write(tokens, roles, shortNames(tokens, roles), shortMembers(tokens, roles))
    }

    /// Makes one declaration of those that follow each other: `const a = 1; const b = 2;` becomes `let a = 1, b = 2;`.
    private static func withOneDeclaration(_ tokens: [ScriptToken]) -> [ScriptToken] {
        var made: [ScriptToken] = []
        // For each open delimiter, whether the last statement in it is a declaration.
        var isDeclaration = [false]
        for token in tokens {
            let follows = made.last?.isMark(";") == true
            if token.isWord(["const", "let"]), made.last?.isMark(".") != true {
                if follows, isDeclaration.last == true {
                    made[made.count - 1] = ScriptToken(kind: .mark, text: ",", beginsLine: false)
                } else {
                    made.append(ScriptToken(kind: .word, text: "let", beginsLine: token.beginsLine))
                    isDeclaration[isDeclaration.count - 1] = true
                }
                continue
            }
            if follows { isDeclaration[isDeclaration.count - 1] = false }
            if token.closes { isDeclaration.removeLast() }
            if token.opens { isDeclaration.append(false) }
            made.append(token)
        }
        return made
    }

    /// Makes functions of a module that only return something variables: `function a() { return 1; }` becomes
    /// `let a = () => 1;`. Modules run nothing before the functions that it needs.
    private static func withArrowFunctions(_ tokens: [ScriptToken]) -> [ScriptToken] {
        var made: [ScriptToken] = []
        var depth = 0
        var index = 0
        while index < tokens.count {
            if depth == 0, tokens[index].isWord(["function"]),
                let (parameters, body) = parts(of: index, tokens)
            {
                let isAsync = made.last?.isWord(["async"]) == true
                if isAsync { made.removeLast() }
                let mark = { ScriptToken(kind: .mark, text: $0, beginsLine: false) }
                made.append(ScriptToken(kind: .word, text: "let", beginsLine: true))
                made += [tokens[index + 1], mark("=")]
                if isAsync { made.append(ScriptToken(kind: .word, text: "async", beginsLine: false)) }
                made += tokens[parameters] + [mark("=>")]
                let isObject = tokens[body.lowerBound].isMark("{")
                made +=
                    (isObject ? [mark("(")] : []) + tokens[body] + (isObject ? [mark(")")] : []) + [mark(";")]
                index = end(of: parameters.upperBound, tokens) + 1
                continue
            }
            if tokens[index].closes { depth -= 1 }
            if tokens[index].opens { depth += 1 }
            made.append(tokens[index])
            index += 1
        }
        return made
    }

    /// The parameters with their brackets, and what is returned, of a function at `index` that does nothing else.
    private static func parts(
        of index: Int, _ tokens: [ScriptToken]
    ) -> (parameters: Range<Int>, body: Range<Int>)? {
        let brace = end(of: index + 2, tokens) + 1
        guard brace + 1 < tokens.count, tokens[brace].isMark("{"), tokens[brace + 1].isWord(["return"]) else {
            return nil
        }
        let last = end(of: brace, tokens)
        let body = brace + 2..<(tokens[last - 1].isMark(";") ? last - 1 : last)
        var depth = 0
        for token in tokens[body] {
            if token.closes { depth -= 1 }
            if depth == 0, token.isMark(";") { return nil }
            if token.opens { depth += 1 }
        }
        return body.isEmpty ? nil : (index + 2..<brace, body)
    }

    /// The place of the token that closes the delimiter at `index`.
    private static func end(of index: Int, _ tokens: [ScriptToken]) -> Int {
        var depth = 0
        for place in index..<tokens.count {
            if tokens[place].closes { depth -= 1 }
            if tokens[place].opens { depth += 1 }
            if depth == 0 { return place }
        }
        return tokens.count - 1
    }

    /// Leaves out commas before the end of a list, and the brackets of the only parameter of an arrow function.
    private static func withoutNeedlessMarks(_ tokens: [ScriptToken]) -> [ScriptToken] {
        var made: [ScriptToken] = []
        var index = 0
        while index < tokens.count {
            let rest = tokens[index...].prefix(4)
            let isParameter =
                rest.count == 4 && rest[index].isMark("(") && rest[index + 1].kind == .word
                && rest[index + 2].isMark(")") && rest[index + 3].isMark("=>")
            // A comma behind another, or at the beginning of a pattern, leaves out an element.
            let isNeedless =
                rest.count > 1 && rest[index].isMark(",") && rest[index + 1].closes
                && made.last.map { !$0.opens && !$0.isMark(",") } == true
            if isParameter {
                made.append(tokens[index + 1])
            } else if !isNeedless {
                made.append(tokens[index])
            }
            index += isParameter ? 3 : 1
        }
        return made
    }

    /// Writes `true`, `false` and `undefined` as expressions that are shorter; as names of members they stay.
    private static func withShortConstants(_ tokens: [ScriptToken]) -> [ScriptToken] {
        let short: [String: (ScriptToken.Kind, String)] = [
            "true": (.mark, "!0"), "false": (.mark, "!1"), "undefined": (.number, "void 0"),
        ]
        return tokens.indices.map { index in
            let token = tokens[index]
            guard token.kind == .word, let (kind, text) = short[token.text], index > 0 else { return token }
            let before = tokens[index - 1]
            let isMember = before.isMark(".") || before.isMark("?.")
            let isNamed = before.isMark("{") || before.isMark(",")
            if isMember || isNamed && index + 1 < tokens.count && tokens[index + 1].isMark(":") {
                return token
            }
            return ScriptToken(kind: kind, text: text, beginsLine: token.beginsLine)
        }
    }

    private enum Role {
        case fixed, variable
        /// A member, of an object or reached by something else than `this`; one in a class or reached by `this`.
        case member, own
        /// A member and a variable: `{ name }`.
        case shorthand
    }

    /// The construct that an open delimiter begins.
    private enum Place { case block, object, members, other }

    private let tokens: [ScriptToken]
    private var places: [Place] = []
    private var isClassHead = false
    private var isCaseHead = false
    /// The place of the colon that ended the last `case`.
    private var caseEnd = -1

    private init(tokens: [ScriptToken]) { self.tokens = tokens }

    private mutating func role(at index: Int) -> Role {
        let token = tokens[index]
        switch token.kind {
        case .word: return roleOfWord(at: index)
        case .mark where token.text == ":" && isCaseHead: (isCaseHead, caseEnd) = (false, index)
        case .mark, .template, .number, .literal: break
        }
        if token.closes { places.removeLast() }
        if token.opens { places.append(token.isMark("{") ? placeOfBrace(at: index) : .other) }
        return .fixed
    }

    private mutating func placeOfBrace(at index: Int) -> Place {
        if isClassHead {
            isClassHead = false
            return .members
        }
        guard index > 0, caseEnd != index - 1 else { return .block }
        let before = tokens[index - 1]
        switch before.kind {
        case .mark: return [")", "=>", "{", "}", ";"].contains(before.text) ? .block : .object
        case .word:
            return before.isWord(["else", "try", "finally", "do", "catch", "static"]) ? .block : .object
        case .template: return before.text.hasSuffix("${") ? .object : .block
        case .number, .literal: return .block
        }
    }

    private mutating func roleOfWord(at index: Int) -> Role {
        let before = index > 0 ? tokens[index - 1] : nil
        let after = index + 1 < tokens.count ? tokens[index + 1] : nil
        let isFirst =
            ["{", ",", "}", ";", "*"].contains { before?.isMark($0) == true }
            || before?.isWord(["async", "get", "set", "static"]) == true
        if before?.isMark(".") == true || before?.isMark("?.") == true || before?.isMark("#") == true {
            return index > 1 && tokens[index - 2].isWord(["this"]) ? .own : .member
        }
        if tokens[index].text == "class", after?.isMark(":") == false { isClassHead = true }
        if tokens[index].text == "case" { isCaseHead = true }
        guard !Self.fixedNames.contains(tokens[index].text) else { return .fixed }
        switch places.last {
        case .members where isFirst: return .own
        case .object where isFirst:
            if after?.isMark(":") == true || after?.isMark("(") == true { return .member }
            return .shorthand
        default: return .variable
        }
    }

    /// The short names, the shortest for the most frequent.
    private static func shortNames(_ tokens: [ScriptToken], _ roles: [Role]) -> [String: String] {
        var counts: [String: Int] = [:]
        for (token, role) in zip(tokens, roles) where role == .variable || role == .shorthand {
            counts[token.text, default: 0] += 1
        }
        var short: [String: String] = [:]
        var number = 0
        for name in byCount(counts) {
            var candidate: String
            repeat {
                candidate = shortName(number)
                number += 1
            } while fixedNames.contains(candidate)
            short[name] = candidate
        }
        return short
    }

    /// The short names of members that are defined in a class and reached by `this` only. They begin with `$`, which no
    /// name of browsers does.
    private static func shortMembers(_ tokens: [ScriptToken], _ roles: [Role]) -> [String: String] {
        var counts: [String: Int] = [:]
        var shared: Set<String> = [
            "constructor", "connectedCallback", "disconnectedCallback", "toJSON", "toString",
        ]
        for (index, token) in tokens.enumerated() {
            switch roles[index] {
            case .member, .shorthand: shared.insert(token.text)
            case .own: counts[token.text, default: 0] += 1
            case .fixed where token.kind == .literal: shared.insert(String(token.text.dropFirst().dropLast()))
            case .fixed, .variable: break
            }
        }
        // Those that are only read belong to browsers.
        let defined = tokens.indices.filter { index in
            roles[index] == .own
                && (!tokens[index - 1].isMark(".")
                    || index + 1 < tokens.count && tokens[index + 1].isMark("="))
        }
        let known = Set(defined.map { tokens[$0].text }).subtracting(shared)
        let names = byCount(counts.filter { known.contains($0.key) })
        return Dictionary(
            uniqueKeysWithValues: names.enumerated().map { ($0.element, "$" + shortName($0.offset)) })
    }

    /// Names, the most frequent first.
    private static func byCount(_ counts: [String: Int]) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    /// The short name with a number: a to Z, then aa and so on.
    static func shortName(_ number: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let first = String(letters[number % letters.count])
        return number < letters.count ? first : shortName(number / letters.count - 1) + first
    }

    private static func write(
        _ tokens: [ScriptToken], _ roles: [Role], _ short: [String: String], _ members: [String: String]
    ) -> String {
        var text = ""
        for (index, token) in tokens.enumerated() {
            if let before = index > 0 ? tokens[index - 1] : nil {
                if isSpaceNeeded(between: before, and: token) {
                    text += " "
                }
            }
            if token.isMark(";"), index + 1 < tokens.count, tokens[index + 1].isMark("}") { continue }
            switch roles[index] {
            case .fixed, .member: text += token.text
            case .own: text += members[token.text] ?? token.text
            case .variable: text += short[token.text] ?? token.text
            case .shorthand: text += "\(token.text):\(short[token.text] ?? token.text)"
            }
        }
        return text + "\n"
    }

    private static func isSpaceNeeded(between before: ScriptToken, and token: ScriptToken) -> Bool {
        let words: Set<ScriptToken.Kind> = [.word, .number]
        if words.contains(before.kind), words.contains(token.kind) { return true }
        guard before.kind == .mark, token.kind == .mark, let last = before.text.last else { return false }
        return "+-".contains(last) && token.text.first == last
    }

    /// Keywords, words that are keywords in some places, and what browsers define.
    private static let fixedNames = Set(
        """
        arguments as async await break case catch class const continue debugger default delete do else export extends \
        false finally for from function get if import in instanceof let new null of return set static super switch this \
        throw true try typeof undefined var void while with yield enum eval Infinity NaN \
        AbortController Array Blob Boolean BroadcastChannel CustomEvent Date Error Event EventSource HTMLElement \
        IntersectionObserver Intl JSON Map Math MutationObserver Node Number Object Promise ResizeObserver Set String Symbol \
        SyntaxError TextDecoder TextEncoder URL URLSearchParams Uint32Array WeakMap WeakSet cancelAnimationFrame \
        clearInterval clearTimeout console crypto customElements decodeURIComponent document encodeURIComponent fetch \
        getSelection history innerHeight innerWidth location matchMedia navigator performance queueMicrotask \
        requestAnimationFrame sessionStorage setInterval setTimeout structuredClone window
        """.split(separator: " ").map(String.init))
}
