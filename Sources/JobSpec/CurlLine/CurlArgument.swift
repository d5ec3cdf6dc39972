internal import JobKit
internal import StrictJSON

/// One argument of a curl command line.
enum CurlArgument: Sendable {
    case url(ShellWord)
    /// An option by the name that the line has for it, with its value.
    case option(CurlFlag, name: String, ShellWord, at: ShellWord)
    case mistake(ShellProblem)

    /// The maximum number of options and URLs of a command: more than any person writes.
    static let countMax = 10_000

    /// The arguments of a command, whose name is the first word. The last one may be a mistake that ends the reading.
    static func all(in words: [ShellWord]) -> [CurlArgument] {
        var rest = words[...]
        guard let name = rest.popFirst(), isProgram(name) else {
            let place = words.first?.place ?? ShellPlace()
            let shown = words.first?.shown ?? ""
            let isTime = words.first?.bytes.first.map { "*@0123456789".utf8.contains($0) } ?? false
            let times =
                isTime && words.contains(where: isProgram)
                ? " Times such as those of cron belong into a schedule: PUT /v1/schedules/{name}." : ""
            return [
                .mistake(
                    ShellProblem(place: place, detail: "Expected a curl command, not \"\(shown)\".\(times)"))
            ]
        }
        var list = List()
        while !list.isFull, let word = rest.popFirst() {
            if word.bytes.starts(with: "--".utf8), word.bytes.count > 2 {
                list.add(long(word, &rest), at: word)
            } else if word.bytes.first == 0x2D, word.bytes.count > 1, !word.spells("--") {
                short(word, &rest, &list)
            } else if !word.spells("--") {
                list.add(.url(word), at: word)
            }
        }
        return list.arguments
    }

    private static func isProgram(_ word: ShellWord) -> Bool {
        let name = word.bytes.split(omittingEmptySubsequences: false) { $0 == 0x2F || $0 == 0x5C }.last ?? []
        return name.elementsEqual("curl".utf8) || name.elementsEqual("curl.exe".utf8)
    }

    /// The arguments so far.
    private struct List {
        private(set) var arguments: [CurlArgument] = []
        private(set) var isFull = false
        private var mistakes = 0

        mutating func add(_ argument: CurlArgument, at word: ShellWord) {
            guard !isFull else { return }
            if arguments.count == CurlArgument.countMax {
                let detail =
                    "The command has more than \(CurlArgument.countMax) options. Send much content as one -d, or "
                    + "submit a JSON spec."
                arguments.append(mistake(word, detail))
                isFull = true
                return
            }
            arguments.append(argument)
            if case .mistake = argument { mistakes += 1 }
            if mistakes == ShellReader.problemsMax { isFull = true }
        }
    }

    private static func long(_ word: ShellWord, _ rest: inout ArraySlice<ShellWord>) -> CurlArgument {
        let bytes = word.bytes.dropFirst(2)
        let equals = bytes.firstIndex(of: 0x3D)
        let written = bytes[..<(equals ?? bytes.endIndex)]
        guard written.count <= nameBytesMax, let name = String(validating: written, as: UTF8.self),
            let flag = CurlFlag.named(name)
        else {
            let shown = String(decoding: written.prefix(nameBytesMax), as: UTF8.self)
            let near =
                SpellingSuggestion.nearest(to: shown, in: CurlFlag.names).map { " Is it --\($0)?" } ?? ""
            return mistake(word, "--\(String(quotable: shown))\(unknown)\(near)")
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

    private static let unknown = " is no curl option known here. Correct or remove it."

    /// No option has a longer name.
    private static let nameBytesMax = 64

    private static func short(_ word: ShellWord, _ rest: inout ArraySlice<ShellWord>, _ list: inout List) {
        var letters = word.bytes.dropFirst()
        while !list.isFull, let byte = letters.popFirst() {
            let letter = Character(Unicode.Scalar(byte))
            guard let flag = CurlFlag.lettered(letter) else {
                let name = byte &- 0x21 < 0x5E ? String(letter) : "…"
                return list.add(mistake(word, "-\(name) in \"\(word.shown)\"\(unknown)"), at: word)
            }
            guard flag.takesValue else {
                let none = ShellWord(bytes: [], place: word.place)
                list.add(.option(flag, name: "-\(letter)", none, at: word), at: word)
                continue
            }
            if !letters.isEmpty {
                let value = ShellWord(bytes: Array(letters), place: word.place)
                list.add(.option(flag, name: "-\(letter)", value, at: word), at: word)
            } else if let value = rest.popFirst() {
                list.add(.option(flag, name: "-\(letter)", value, at: word), at: word)
            } else {
                list.add(mistake(word, "-\(letter) needs a value."), at: word)
            }
            return
        }
    }

    private static func mistake(_ word: ShellWord, _ detail: String) -> CurlArgument {
        .mistake(ShellProblem(place: word.place, detail: detail))
    }
}

extension [UInt8] {
    /// Whether the bytes of a text are at the end.
    func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }

    /// The position of the first occurrence of a text, which is not empty.
    func position(of text: String) -> Int? {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, count >= wanted.count else { return nil }
        return (0...(count - wanted.count)).first { index in
            self[index] == first && self[index..<index + wanted.count].elementsEqual(wanted)
        }
    }
}
