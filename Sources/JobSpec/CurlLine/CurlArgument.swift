internal import JobKit
internal import StrictJSON

/// One argument of a curl command line.
enum CurlArgument: Sendable {
    case url(ShellWord)
    /// An option by the name that the line has for it, with its value.
    case option(CurlFlag, name: String, ShellWord, at: ShellWord)
    case mistake(ShellProblem)

    /// The arguments of a command, whose name is the first word.
    static func all(in words: [ShellWord]) -> [CurlArgument] {
        var rest = words[...]
        guard let name = rest.popFirst(), name.text == "curl" || name.text.hasSuffix("/curl") else {
            let shown = String(quotable: words.first?.text ?? "")
            let place = words.first?.place ?? ShellPlace()
            return [
                .mistake(ShellProblem(place: place, detail: "Expected a curl command, not \"\(shown)\"."))
            ]
        }
        var found: [CurlArgument] = []
        while let word = rest.popFirst() {
            let text = word.text
            if text.hasPrefix("--"), text.utf8.count > 2 {
                found.append(long(word, &rest))
            } else if text.hasPrefix("-"), text.utf8.count > 1, text != "--" {
                found += short(word, &rest)
            } else if text != "--" {
                found.append(.url(word))
            }
        }
        return found
    }

    private static func long(_ word: ShellWord, _ rest: inout ArraySlice<ShellWord>) -> CurlArgument {
        let bytes = word.bytes.dropFirst(2)
        let name = String(decoding: bytes.prefix { $0 != 0x3D }, as: UTF8.self)
        let equals = bytes.firstIndex(of: 0x3D)
        guard let flag = CurlFlag.named(name) else {
            let near =
                SpellingSuggestion.nearest(to: name, in: CurlFlag.names).map { " Is it --\($0)?" } ?? ""
            return mistake(word, "--\(String(quotable: name)) is not an option that is known here.\(near)")
        }
        guard flag.takesValue else {
            if equals != nil { return mistake(word, "--\(name) takes no value.") }
            return .option(flag, name: "--\(name)", ShellWord(bytes: [], place: word.place), at: word)
        }
        if let equals {
            let value = Array(bytes[(equals + 1)...])
            return .option(flag, name: "--\(name)", ShellWord(bytes: value, place: word.place), at: word)
        }
        guard let value = rest.popFirst() else { return mistake(word, "--\(name) needs a value.") }
        return .option(flag, name: "--\(name)", value, at: word)
    }

    private static func short(_ word: ShellWord, _ rest: inout ArraySlice<ShellWord>) -> [CurlArgument] {
        var found: [CurlArgument] = []
        var letters = word.bytes.dropFirst()
        while let byte = letters.popFirst() {
            let letter = Character(Unicode.Scalar(byte))
            guard let flag = CurlFlag.lettered(letter) else {
                let shown = String(quotable: word.text)
                let name = byte < 0x80 ? String(letter) : "…"
                return found + [
                    mistake(word, "-\(name) in \"\(shown)\" is not an option that is known here.")
                ]
            }
            guard flag.takesValue else {
                found.append(
                    .option(flag, name: "-\(letter)", ShellWord(bytes: [], place: word.place), at: word))
                continue
            }
            if !letters.isEmpty {
                let value = ShellWord(bytes: Array(letters), place: word.place)
                found.append(.option(flag, name: "-\(letter)", value, at: word))
            } else if let value = rest.popFirst() {
                found.append(.option(flag, name: "-\(letter)", value, at: word))
            } else {
                found.append(mistake(word, "-\(letter) needs a value."))
            }
            return found
        }
        return found
    }

    private static func mistake(_ word: ShellWord, _ detail: String) -> CurlArgument {
        .mistake(ShellProblem(place: word.place, detail: detail))
    }
}
