internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// A parsed curl command line: the effect of each option, in the order of the line.
struct CurlCommand: Sendable {
    /// Pieces of content.
    struct Content: Sendable {
        /// The concatenated values of `-d` and similar options.
        var data: [UInt8]?
        /// The first of these values that is not UTF-8.
        var binary: ShellWord?
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

    /// The fields that have options of their own, unless `-H` has them.
    struct OwnFields: Sendable {
        var userAgent: ShellWord?
        var referer: ShellWord?
        /// The last `-e` that asks for the field in redirects.
        var refererOfRedirects: ShellWord?
        var cookies: [ShellWord] = []
        /// The last `-b ''`, which keeps the cookies of redirects.
        var cookiesOfRedirects: ShellWord?
    }

    /// The position of the command's name.
    var place: ShellPlace
    var urls: [ShellWord] = []
    /// The texts that are added to the query.
    var queries: [[UInt8]] = []
    /// The last `--url-query`.
    var queryWord: ShellWord?
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
    var own = OwnFields()
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
        addOwnFields()
    }

    /// Whether it has a field with this lower-case name.
    func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }

    mutating func refuse(_ word: ShellWord, _ detail: String) { refuse(at: word.place, detail) }

    mutating func refuse(at place: ShellPlace, _ detail: String) {
        guard problems.count < ShellReader.problemsMax else { return }
        problems.append(ShellProblem(place: place, detail: detail))
    }

    mutating func remark(_ word: ShellWord, _ detail: String) { remark(at: word.place, detail) }

    mutating func remark(at place: ShellPlace, _ detail: String) {
        remarks.append(ShellProblem(place: place, detail: detail))
    }

    /// The value of an option as text. One that is not UTF-8 is a problem.
    mutating func text(of value: ShellWord, _ name: String) -> String? {
        text(of: value.bytes[...], in: value, name)
    }

    /// A part of the value of an option as text. One that is not UTF-8 is a problem.
    mutating func text(of part: ArraySlice<UInt8>, in value: ShellWord, _ name: String) -> String? {
        if let text = String(validating: part, as: UTF8.self) { return text }
        refuse(
            value, "\(name) has \(Self.notText(part)). Write it in UTF-8: only content may have any bytes.")
        return nil
    }

    /// The first byte that is not UTF-8, in words.
    static func notText(_ bytes: ArraySlice<UInt8>) -> String {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: Array(bytes).span)
            return "bytes that are not UTF-8"
        } catch {
            let offset = error.byteOffsets.lowerBound
            let code = String(bytes[bytes.startIndex + offset], radix: 16, uppercase: true)
            return "a byte that is not UTF-8 (0x\(code), byte \(offset + 1) of it)"
        }
    }
}

/// A part of a form on a command line.
struct CurlPart: Sendable {
    var name: String
    var bytes: [UInt8]
    var filename: String?
    /// Nil and empty are none; for a part with a file name, nil is the default of the spec.
    var contentType: String?

    /// The media type that curl gives a file of this name; nil for most.
    static func mediaType(of name: [UInt8]) -> String? {
        let end = name.suffix(5).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        return mediaTypes.first { end.hasSuffix($0.suffix) }?.type
    }

    private static let mediaTypes: [(suffix: String, type: String)] = [
        (".gif", "image/gif"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"),
        (".svg", "image/svg+xml"), (".txt", "text/plain"), (".htm", "text/html"), (".html", "text/html"),
        (".pdf", "application/pdf"), (".xml", "application/xml"),
    ]
}
