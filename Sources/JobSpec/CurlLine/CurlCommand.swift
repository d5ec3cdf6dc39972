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
        self.init(CurlArgument.all(in: words), at: words.first?.place ?? ShellPlace())
    }

    /// The command with these arguments.
    init(_ arguments: [CurlArgument], at place: ShellPlace) {
        self.place = place
        for argument in arguments {
            switch argument {
            case .url(let word): urls.append(word)
            case .option(let flag, let name, let value, let word): apply(flag, name, value, at: word)
            case .mistake(let problem): problems.append(problem)
            }
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
