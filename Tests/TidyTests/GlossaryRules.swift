/// The glossary as a rule: a word that it does not use for a thing is not written for that thing.
struct GlossaryRules {
    /// Words of the column "Not" with the thing that each is not a word for.
    let others: [(word: String, thing: String)]
    /// The defined words.
    let words: [String]

    /// Reads the table of the glossary.
    init(_ glossary: SourceFile) {
        var others: [(String, String)] = []
        var words: [String] = []
        for line in glossary.lines where line.hasPrefix("| ") && !line.hasPrefix("| Word ") {
            let cells = line.dropFirst().dropLast().components(between: "|")
            guard cells.count == 3 else { continue }
            words.append(Self.withoutRemarks(cells[0]))
            for word in Self.withoutRemarks(cells[2]).components(between: ",") where !word.isEmpty {
                others.append((word, cells[0]))
            }
        }
        self.others = others
        self.words = words
    }

    /// Words that mean something else as well: a rule cannot tell which is meant.
    static let ambiguous: [String: String] = [
        "id": "of jobs", "run": "its own word", "try": "a verb", "delay": "an operation", "case": "English",
        "room": "English", "kill": "of a process", "lock": "a condition",
        "fetch": "a verb", "check": "a verb", "service": "systemd, and the services of others",
        "limit": "of queues and hosts", "batch": "of jobs in one request", "pause": "of queues and origins",
        "suspend": "its own word", "task": "of people, and Swift's", "log": "of the server",
        "history": "what people read", "tenant": "its own word", "group": "an operation",
        "step": "of instructions", "host": "its own word", "origin": "its own word",
        "upstream": "its own word",
        "node": "the program, and of a tree", "message": "of an error, to people", "mail": "an example",
        "window": "of time", "output": "of a command", "execution": "a stage", "file": "on disk",
        "timer": "of a loop", "tick": "of a clock", "password": "of others", "variable": "of the environment",
        "event": "what the server says", "place": "English", "permit": "a verb", "state": "of a job",
        "phase": "of a call", "map": "of a group", "target": "of a request",
        "authorization": "the field of HTTP", "definition": "English", "abort": "a verb of others",
        "metrics": "of a process",
    ]

    /// The ambiguous words that names of the contract and of types may have, for their other meaning.
    static let named: Set<String> = [
        "authorization", "batch", "check", "delay", "event", "execution", "file", "group", "host", "id",
        "limit", "lock", "log", "map", "message", "metrics", "origin", "password", "pause", "phase", "place",
        "run", "service", "state", "step", "target", "tenant", "upstream", "window",
    ]

    /// Texts that may have such a word, each for a reason: others' words, or a name that is given.
    static let exceptions: [(place: String, word: String)] = [
        ("README.md", "webhook"), ("Docs/README.md", "webhook"), ("README.md", "worker"),
        ("README.md", "workflow"),
        ("Docs/Recipes.md", "webhook"), ("Docs/Recipes.md", "partition"), ("Docs/Connections.md", "webhook"),
        ("Docs/Clients.md", "webhook"), ("Docs/Spec.md", "webhook"),
        ("Docs/Connections.md", "payload"), ("openapi.yaml", "webhook"),
        ("Docs/JobKit.md", "capability"), ("Docs/JobKit.md", "confirmation"),
        ("Docs/Configuration.md", "backlog"), ("Docs/Configuration.md", "child"),
        ("Docs/Monitoring.md", "child"), ("Docs/Errors.md", "chunk"),
        ("Docs/Architecture.md", "wrapper"),
        // The scheme `standard_webhooks` and its fields, and the triggers of PostgreSQL.
        ("Docs/Hooks.md", "webhook"), ("Docs/Scale.md", "trigger"),
    ]

    /// Pages about other systems, which have their words.
    static let foreign = ["Docs/Comparison.md", "Docs/Coming-from.md", "Docs/FAQ.md", "Docs/Glossary.md"]

    /// Sources whose strings have such words: tables of others' words, names of the frameworks, and chunks of HTTP.
    static let foreignStrings = [
        "Sources/JobKit", "Sources/HTTPMessage", "Sources/CurlHTTP",
        "Sources/JobSpec/Reading/FamiliarMembers.swift",
        "Sources/JobSpec/Reading/FamiliarWords.swift", "Sources/JobSpec/Reading/SpecSynonyms.swift",
        "Sources/JobServer/HTTP/FamiliarQuery.swift",
    ]

    /// Strings that may have such a word: flags, fields of senders, options of curl, and the table of grants.
    static let stringExceptions: [(place: String, word: String)] = [
        ("Sources/JobServer/Config", "backlog"), ("Sources/JobServer/Config", "child"),
        ("Sources/JobSpec/Auth", "webhook"), ("Sources/JobSpec/Verify", "webhook"),
        ("Sources/JobSpec/Hooks", "webhook"), ("Sources/JobSpec/Auth", "payload"),
        ("Sources/JobSpec/CurlLine", "remote"),
        ("Sources/JobStore/Grants", "capability"), ("Sources/PostgresStore/Tables", "capability"),
        ("Sources/SQLiteStore/Tables", "capability"),
    ]

    /// Names that are those of others, or of a part that is no thing of the product.
    static let identifiers: Set<String> = [
        "BacklogGauge", "CurlWorker", "EngineTimer", "CurlOutput", "JSONOutput", "Output", "Node",
        "PatternNode",
        "JobHistory", "ShellVariable", "TraceVariables", "TemplateDefinition", "standard_webhooks",
        "webhooks",
    ]

    /// The words that no text may have for the thing.
    var enforced: [(word: String, thing: String)] { others.filter { Self.ambiguous[$0.word] == nil } }

    /// Enforced words in a text.
    func findings(in file: SourceFile) -> [Finding] {
        guard !Self.foreign.contains(file.path) else { return [] }
        let text = file.text.lowercased()
        let present = enforced.filter { text.contains($0.word.lowercased()) }
        return file.lines.enumerated().flatMap { index, line in
            present.filter { word, _ in
                !Self.exceptions.contains { $0 == (file.path, word) } && Self.has(word, line)
            }.map { Finding(path: file.path, line: index + 1, message: "\"\($0)\": the word is \($1)") }
        }
    }

    /// Enforced words in the strings of a script of the page.
    func pageFindings(in file: SourceFile) -> [Finding] {
        file.lines.enumerated().flatMap { index, line -> [Finding] in
            let strings = line.components(between: "\"").enumerated().filter { $0.offset % 2 == 1 }
            let said = strings.map(\.element).joined(separator: " ")
            return enforced.filter { Self.has($0.word, said) }.map {
                Finding(path: file.path, line: index + 1, message: "\"\($0.word)\": the word is \($0.thing)")
            }
        }
    }

    /// Enforced words in the strings of a Swift file: its texts for people, and the names that it writes.
    func stringFindings(in file: SourceFile) -> [Finding] {
        guard !file.lies(in: Self.foreignStrings) else { return [] }
        let words = enforced.filter { word, _ in
            !Self.stringExceptions.contains { $0.word == word && file.lies(in: [$0.place]) }
        }
        return file.lines.enumerated().flatMap { index, line -> [Finding] in
            guard line.contains("\""), !line.trimmed.hasPrefix("//") else { return [] }
            let strings = line.components(between: "\"").enumerated().filter { $0.offset % 2 == 1 }
            let said = strings.map(\.element).joined(separator: " ")
            return words.filter { Self.has($0.word, said) }.map {
                Finding(path: file.path, line: index + 1, message: "\"\($0.word)\": the word is \($0.thing)")
            }
        }
    }

    /// The words that no name may have.
    var unnamed: [(word: String, thing: String)] { others.filter { !Self.named.contains($0.word) } }

    /// Words of other things in the names of the contract: members, values, schemas, paths and operations.
    func contractFindings(in file: SourceFile) -> [Finding] {
        file.lines.enumerated().flatMap { index, line in
            Self.contractNames(line).flatMap { name in
                let words = Self.parts(of: name)
                return unnamed.filter { words.contains($0.word) && !Self.identifiers.contains(name) }.map {
                    Finding(path: file.path, line: index + 1, message: "\(name): the word is \($0.thing)")
                }
            }
        }
    }

    /// The names in a line of the contract: what stands before a colon, and the values of an enumeration.
    static func contractNames(_ line: String) -> [String] {
        let tokens = line.split { " {}[],'\"".contains($0) }.map(String.init)
        let isList = line.contains("enum: [") || line.contains("const: ") || line.contains("operationId: ")
        return tokens.compactMap { $0.hasSuffix(":") ? String($0.dropLast()) : isList ? $0 : nil }
    }

    /// Enforced words in the names of types.
    func typeFindings(in file: SourceFile) -> [Finding] {
        file.code.enumerated().flatMap { index, line -> [Finding] in
            let tokens = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            let types = zip(tokens, tokens.dropFirst()).filter {
                ["struct", "class", "enum", "protocol", "actor"].contains($0.0)
            }
            return types.flatMap { _, type in
                let words = Self.parts(of: type)
                return unnamed.filter { words.contains($0.word) && !Self.identifiers.contains(type) }.map {
                    Finding(path: file.path, line: index + 1, message: "\(type): the word is \($0.thing)")
                }
            }
        }
    }

    /// Whether a line has a word, or its plural.
    private static func has(_ word: String, _ line: String) -> Bool {
        let line = line.lowercased()
        let word = word.lowercased()
        guard line.contains(word) else { return false }
        return line.hasWord(word) || line.hasWord(word + "s") || line.hasWord(word + "es")
    }

    /// The words of a name in camel case, in snake case, or of a path.
    static func parts(of name: String) -> [String] {
        var parts: [String] = []
        var begins = true
        for letter in name {
            let isLetter = letter.isLetter
            if isLetter, begins || letter.isUppercase { parts.append("") }
            if isLetter { parts[parts.count - 1].append(letter.lowercased()) }
            begins = !isLetter
        }
        return parts.flatMap { $0.hasSuffix("s") ? [$0, String($0.dropLast())] : [$0] }
    }

    /// A cell without what stands in parentheses.
    private static func withoutRemarks(_ text: String) -> String {
        var depth = 0
        return String(
            text.filter { letter in
                if letter == "(" { depth += 1 }
                defer { if letter == ")" { depth -= 1 } }
                return depth == 0
            }
        ).trimmed
    }
}

extension StringProtocol {
    /// The parts between a separator, without blanks around them.
    fileprivate func components(between separator: Character) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(\.trimmed)
    }

    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
