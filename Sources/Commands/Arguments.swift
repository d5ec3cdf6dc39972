internal import StrictJSON

/// A parsed command line: `--flag value`, `--flag=value`, `--switch`, and positional words.
package struct Arguments: Sendable {
    /// The values of each flag, in order. A switch has the value `true`.
    package private(set) var values: [String: [String]] = [:]
    package private(set) var words: [String] = []
    /// The origins of flags that are not on the command line.
    private var origins: [String: Origin] = [:]

    private enum Origin {
        case variable(String)
        /// A line of a configuration file.
        case file(String, line: Int)
    }

    /// Parses `arguments`.
    ///
    /// `--` ends the flags; a single `-` is a word. A flag missing from the line falls back to its environment variable
    /// (a repeatable flag splits it at commas).
    /// - Throws: `.usage` for an unknown flag (with a suggestion), a missing value, a value for a switch, or a repeated
    ///   flag.
    package init(
        _ arguments: some Sequence<String>, flags: [Flag], environment: [String: String] = [:],
        command: String
    ) throws(CommandFailure) {
        var rest = Array(arguments)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                words += rest
                break
            }
            guard word.utf8.starts(with: "--".utf8) else {
                guard word == "-" || word.utf8.first != 0x2D else {
                    throw .usage("\(word): flags begin with two dashes", command: command)
                }
                words.append(word)
                continue
            }
            let (name, inline) = Arguments.split(word.dropFirst(2))
            guard let flag = flags.first(where: { $0.name == name }) else {
                throw Arguments.unknown(name, flags: flags, command: command)
            }
            if flag.value == nil {
                guard inline == nil else { throw .usage("--\(name) takes no value", command: command) }
                values[name] = ["true"]
                continue
            }
            guard let value = inline ?? rest.popFirst() else {
                throw .usage("--\(name) needs a value: --\(name) \(flag.value ?? "")", command: command)
            }
            guard flag.isRepeatable || values[name] == nil else {
                throw .usage("--\(name) is given twice", command: command)
            }
            values[name, default: []].append(value)
        }
        for flag in flags where flag.hasVariable && values[flag.name] == nil {
            guard let value = environment[flag.variable], !value.isEmpty, !Arguments.isService(value) else {
                continue
            }
            origins[flag.name] = .variable(flag.variable)
            let parts = value.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
            values[flag.name] = flag.isRepeatable ? parts : [value]
        }
    }

    package func value(_ name: String) -> String? { values[name]?.last }

    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Takes the settings of a configuration file for flags that are given neither on the line nor by a variable. Names
    /// of other commands are skipped.
    package mutating func fill(from file: ConfigFile, flags: [Flag]) {
        for flag in flags where values[flag.name] == nil {
            let settings = file.settings.filter { $0.name == flag.name }
            guard let last = settings.last else { continue }
            origins[flag.name] = .file(file.path, line: last.line)
            values[flag.name] = settings.map(\.value)
        }
    }

    /// A value with its source, as the user wrote it: `--port 80`, `JOBSERVER_PORT=80`, or `FILE:3: port = 80`.
    package func said(_ name: String, _ value: String) -> String {
        switch origins[name] {
        case nil: "--\(name) \(value)"
        case .variable(let variable): "\(variable)=\(value)"
        case .file(let path, let line): "\(path):\(line): \(name) = \(value)"
        }
    }

    /// Whether the value of a flag comes from its environment variable or a file, which other users cannot see.
    package func isHidden(_ name: String) -> Bool { origins[name] != nil }

    /// The source of a flag's value, for people.
    package func source(of name: String) -> String {
        switch origins[name] {
        case nil: values[name] == nil ? "default" : "flag"
        case .variable(let variable): variable
        case .file(let path, let line): "\(path):\(line)"
        }
    }

    /// Whether Kubernetes has set the variable: it tells every container the address of a service called JOBSERVER in
    /// `JOBSERVER_PORT=tcp://10.0.0.1:8080`.
    private static func isService(_ value: String) -> Bool {
        value.hasPrefix("tcp://") || value.hasPrefix("udp://") || value.hasPrefix("sctp://")
    }

    /// Environment variables that resemble those of a flag but set none, each with the closest variable.
    /// - Parameter others: the flags of other commands, whose variables are meant for these.
    package static func misspelt(
        in environment: [String: String], flags: [Flag], others: [Flag] = []
    ) -> [(name: String, meant: String)] {
        let known = flags.filter(\.hasVariable).map(\.variable)
        let meant = Set(known + others.filter(\.hasVariable).map(\.variable))
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix(Flag.variablePrefix), !meant.contains(name) else { return nil }
            return SpellingSuggestion.nearest(to: name, in: known).map { (name, $0) }
        }
    }

    /// The same without the value of a flag at a place, or without all its values.
    package func without(_ name: String, at place: Int? = nil) -> Arguments {
        var copy = self
        if let place { copy.values[name]?.remove(at: place) }
        if place == nil || copy.values[name]?.isEmpty == true { copy.values[name] = nil }
        return copy
    }

    /// The value of a flag that takes one of a few words; nil without it.
    package func word(
        _ name: String, of known: [String], command: String
    ) throws(CommandFailure) -> String? {
        guard let text = value(name), !known.contains(where: text.hasSameBytes) else { return value(name) }
        let near = SpellingSuggestion.nearest(to: text, in: known).map { " Did you mean \($0)?" } ?? ""
        let list =
            known.count == 2 ? known.joined(separator: " or ") : "one of \(known.joined(separator: ", "))"
        throw .usage("\(said(name, text)): expected \(list).\(near)", command: command)
    }

    package func has(_ name: String) -> Bool { values[name] != nil }

    /// Whether a switch is on. Its environment variable may be true or false.
    package func isOn(_ name: String, otherwise: Bool = false, command: String) throws(CommandFailure) -> Bool
    {
        switch value(name) {
        case nil: return otherwise
        case "false", "0", "no", "off": return false
        case "true", "1", "yes", "on": return true
        case .some(let text):
            throw .usage("\(said(name, text)): expected true or false", command: command)
        }
    }

    private static func split(_ text: Substring) -> (name: String, value: String?) {
        guard let equals = text.utf8.firstIndex(of: 0x3D) else { return (String(text), nil) }
        return (String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
    }

    private static func unknown(_ name: String, flags: [Flag], command: String) -> CommandFailure {
        let nearest = SpellingSuggestion.nearest(to: name, in: flags.map(\.name))
        let hint = nearest.map { " Did you mean --\($0)?" } ?? ""
        return .usage("There is no flag --\(name).\(hint)", command: command)
    }
}

extension CommandFailure {
    /// A usage error that points to the help.
    package static func usage(_ text: String, command: String) -> CommandFailure {
        let words = ["jobserver", command, "--help"].filter { !$0.isEmpty }.joined(separator: " ")
        return CommandFailure(code: .usage, text: "\(text)\nTry: \(words)")
    }
}
