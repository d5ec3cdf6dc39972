internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// A parsed curl command line: the effect of each option, in the order of the line.
struct CurlCommand: Sendable {
    /// Pieces of content.
    struct Content: Sendable {
        /// The concatenated values of `-d` and similar options.
        var data: [UInt8]?
        /// Whether one of them was `--json`.
        var isJSON = false
        /// Whether the content goes to the URL (`-G`).
        var goesToURL = false
        /// The parts of a form.
        var parts: [CurlPart] = []
    }

    /// Timeouts and retries.
    struct Patience: Sendable {
        var attempt: Duration?
        var connect: Duration?
        var retries: Int?
        var retryDelay: Duration?
        var total: Duration?
        var repeatsAll = false
    }

    /// The route of the call.
    struct Way: Sendable {
        var follows = false
        var keepsAuth = false
        var redirectsMax: Int?
        var isCompressed = false
        var version: String?
        var tlsMinimum: String?
        var proxy: String?
        var proxyUser: String?
        var noProxy: String?
    }

    /// The position of the command's name.
    var place: ShellPlace
    var urls: [ShellWord] = []
    var queries: [String] = []
    var method: String?
    var isHead = false
    var globs = true
    var keepsDots = false
    var headers: [(name: String, value: String)] = []
    /// The `Host` fields, including the name.
    var hosts: [ShellWord] = []
    /// The lower-case names of fields that are removed (`-H 'Name:'`).
    var withoutHeaders: Set<String> = []
    var content = Content()
    var user: String?
    var bearer: String?
    var patience = Patience()
    var way = Way()
    /// The name of the output file; empty takes it from the URL.
    var file: String?

    /// Parts that cannot be translated.
    var problems: [ShellProblem] = []
    /// Parts without an effect.
    var remarks: [ShellProblem] = []

    /// Parses the words of one command.
    init(_ words: [ShellWord]) {
        place = words.first?.place ?? ShellPlace()
        var rest = words[...]
        guard let name = rest.popFirst(), name.text == "curl" || name.text.hasSuffix("/curl") else {
            let shown = String(quotable: words.first?.text ?? "")
            problems.append(
                ShellProblem(place: place, detail: "Expected a curl command, not \"\(shown)\"."))
            return
        }
        while let word = rest.popFirst() {
            let text = word.text
            if text.hasPrefix("--"), text.utf8.count > 2 {
                readLong(word, &rest)
            } else if text.hasPrefix("-"), text.utf8.count > 1, text != "--" {
                readShort(word, &rest)
            } else if text != "--" {
                urls.append(word)
            }
        }
    }

    private mutating func readLong(_ word: ShellWord, _ rest: inout ArraySlice<ShellWord>) {
        let bytes = word.bytes.dropFirst(2)
        let name = String(decoding: bytes.prefix { $0 != 0x3D }, as: UTF8.self)
        let equals = bytes.firstIndex(of: 0x3D)
        guard let flag = CurlFlag.named(name) else {
            let near =
                SpellingSuggestion.nearest(to: name, in: CurlFlag.names).map { " Is it --\($0)?" } ?? ""
            return refuse(word, "--\(String(quotable: name)) is not an option that is known here.\(near)")
        }
        guard flag.takesValue else {
            if equals != nil { refuse(word, "--\(name) takes no value.") }
            return apply(flag, "--\(name)", ShellWord(bytes: [], place: word.place), at: word)
        }
        if let equals {
            let value = Array(bytes[(equals + 1)...])
            apply(flag, "--\(name)", ShellWord(bytes: value, place: word.place), at: word)
        } else if let value = rest.popFirst() {
            apply(flag, "--\(name)", value, at: word)
        } else {
            refuse(word, "--\(name) needs a value.")
        }
    }

    private mutating func readShort(_ word: ShellWord, _ rest: inout ArraySlice<ShellWord>) {
        var letters = word.bytes.dropFirst()
        while let byte = letters.popFirst() {
            let letter = Character(Unicode.Scalar(byte))
            guard let flag = CurlFlag.lettered(letter) else {
                let shown = String(quotable: word.text)
                return refuse(
                    word,
                    "-\(byte < 0x80 ? String(letter) : "…") in \"\(shown)\" is not an option that is known here."
                )
            }
            guard flag.takesValue else {
                apply(flag, "-\(letter)", ShellWord(bytes: [], place: word.place), at: word)
                continue
            }
            if !letters.isEmpty {
                apply(flag, "-\(letter)", ShellWord(bytes: Array(letters), place: word.place), at: word)
            } else if let value = rest.popFirst() {
                apply(flag, "-\(letter)", value, at: word)
            } else {
                refuse(word, "-\(letter) needs a value.")
            }
            return
        }
    }

    mutating func refuse(_ word: ShellWord, _ detail: String) {
        problems.append(ShellProblem(place: word.place, detail: detail))
    }

    mutating func remark(_ word: ShellWord, _ detail: String) {
        remarks.append(ShellProblem(place: word.place, detail: detail))
    }
}

/// A part of a form on a command line.
struct CurlPart: Sendable {
    var name: String
    var bytes: [UInt8]
    var filename: String?
    var contentType: String?
}
