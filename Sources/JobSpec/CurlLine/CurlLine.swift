internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// A call as a curl command line that sends the same request.
struct CurlLine {
    /// The words after `curl`, quoted for the shell, grouped by line.
    private(set) var lines: [String] = []
    /// The command before `curl`, when content must be piped in.
    private(set) var pipe: String?
    /// The parts of the call that the line cannot express.
    private(set) var remarks: [String] = []
    private let unknown: UnknownValues

    /// The line of a call.
    /// - Parameters:
    ///   - unknown: gets the values that are not known yet.
    ///   - seed: as for the call itself.
    /// - Throws: the errors of making the call.
    init(
        _ spec: NetworkSpec, retry: RetrySpec?, unknown: UnknownValues, seed: String, path: [String]
    ) throws(AOperationError) {
        self.unknown = unknown
        let (call, other) = try unknown.twice { lookup throws(AOperationError) in
            try spec.makeCall(lookup: lookup, seed: seed, path: path)
        }
        addMethod(of: call)
        try addURL(call.url, other.url, hasConnection: spec.connection != nil)
        try addIdentity(spec)
        let form = try multipart(spec)
        for (field, again) in zip(call.fields, other.fields) {
            if form != nil && field.name.lowercased() == "content-type" { continue }
            try addField(field.name, try unknown.text(field.value.utf8, again.value.utf8))
        }
        if let form { lines += form } else { try addContent(of: call, and: other.body) }
        addWay(of: call)
        try addRoute(spec)
        if let retry { add(retry) }
    }

    /// The command, on one line per part.
    var text: String {
        (pipe.map { $0 + " |\n  " } ?? "") + "curl " + lines.joined(separator: " \\\n  ") + "\n"
    }

    /// Adds the output file.
    mutating func keep(in file: String) throws(AOperationError) { try add("-o", ShellText(file)) }

    // MARK: Parts

    /// Adds an option with its value.
    private mutating func add(_ option: String, _ value: ShellText) throws(AOperationError) {
        lines.append(try Self.words(option, value))
    }

    private static func words(_ option: String, _ value: ShellText) throws(AOperationError) -> String {
        guard let word = value.word else {
            throw AOperationError(
                .templateInvalid, detail: "The value of \(option) contains NUL, which no argument can.")
        }
        return "\(option) \(word)"
    }

    private mutating func addMethod(of call: HTTPCall) {
        switch (call.method, call.body) {
        case ("GET", nil): break
        case ("HEAD", nil): lines.append("-I")
        case ("POST", _?): break
        // A method is a token (RFC 9110 §9.1).
        default: lines.append("-X " + (ShellText.word(call.method) ?? "GET"))
        }
        if call.url.utf8.contains(where: { "{}[]".utf8.contains($0) }) { lines.append("-g") }
        if Self.losesDots(call.url) { lines.append("--path-as-is") }
    }

    private mutating func addURL(
        _ url: String, _ other: String, hasConnection: Bool
    ) throws(AOperationError) {
        let text = try unknown.text(url.utf8, other.utf8)
        if !hasConnection || URLReference.hasScheme(url) {
            guard let word = text.word else { return }
            lines.append(word)
        } else {
            var whole = ShellText()
            whole.append(Self.connection)
            // Named, because without the base it could begin with a dash.
            try add("--url", whole + text)
        }
    }

    private static let connection = ShellVariable(["connection"])

    /// Whether curl would normalize the path. A path relative to a connection is meant to be.
    private static func losesDots(_ url: String) -> Bool {
        if let parts = try? URLParts(url) { return URLReference.hasDots(path: parts.path) }
        guard url.utf8.first == 0x2F else { return false }
        return URLReference.hasDots(path: String(decoding: url.utf8.prefix { $0 != 0x3F }, as: UTF8.self))
    }

    private mutating func addField(_ name: String, _ value: ShellText) throws(AOperationError) {
        if name.lowercased() == "user-agent", !value.isEmpty {
            try add("-A", value)
        } else {
            try add("-H", value.isEmpty ? ShellText("\(name);") : ShellText("\(name): ") + value)
        }
    }

    private mutating func addIdentity(_ spec: NetworkSpec) throws(AOperationError) {
        if let name = spec.connection {
            remarks.append(
                "The connection \(name) adds its base URL, $\(Self.connection.name), and its fields and credentials."
            )
        }
        guard let credentials = spec.auth.credentials else { return }
        guard type(of: credentials).isSentAsIs else {
            remarks.append("The job identifies itself with \(spec.auth.name), which this line does not.")
            return
        }
        let (one, other) = try unknown.twice { lookup throws(AOperationError) in
            try credentials.identity(lookup: lookup, secrets: .named)
        }
        switch (one, other) {
        case (.basic(let name, let word), .basic(let otherName, let otherWord)):
            try add(
                "-u",
                try pair(unknown.text(name.utf8, otherName.utf8), unknown.text(word.utf8, otherWord.utf8)))
        case (.bearer(let token), .bearer(let again)):
            try add("--oauth2-bearer", try unknown.text(token.utf8, again.utf8))
        case (.field(let name, let value), .field(_, let again)):
            try addField(name, try unknown.text(value.utf8, again.utf8))
        default: break
        }
    }

    private func pair(_ name: ShellText, _ password: ShellText) -> ShellText {
        name + ShellText(":") + password
    }

    private mutating func addRoute(_ spec: NetworkSpec) throws(AOperationError) {
        if spec.tls.minimum == .v1_3 { lines.append("--tlsv1.3") }
        if spec.tls.authorities != nil || spec.tls.clientCertificate != nil {
            remarks.append("The job has certificates, which this line lacks.")
        }
        guard let proxy = spec.proxy else { return }
        try add("-x", ShellText(proxy.url))
        if !proxy.bypass.isEmpty { try add("--noproxy", ShellText(proxy.bypass.joined(separator: ","))) }
        if let username = proxy.username, let password = proxy.password {
            let name = try unknown.text { lookup throws(AOperationError) in
                try username.resolveText("proxy.username", lookup: lookup)
            }
            let word = try unknown.text { lookup throws(AOperationError) in
                try password.resolveText("proxy.password", lookup: lookup)
            }
            try add("-U", pair(name, word))
        }
    }

    private mutating func addContent(of call: HTTPCall, and other: [UInt8]?) throws(AOperationError) {
        guard let body = call.body else {
            if ["POST", "PUT", "PATCH"].contains(call.method) { lines += ["-d ''", "-H 'Content-Type:'"] }
            return
        }
        let content = try unknown.text(body, other ?? [])
        if let word = content.word {
            lines.append("--data-raw " + word)
            return
        }
        let commands = content.parts.map { part in
            switch part {
            case .bytes(let bytes):
                "printf %s \(String(decoding: Base64.encode(bytes), as: UTF8.self)) | base64 -d"
            case .variable(let variable): "printf %s \"$\(variable.name)\""
            }
        }
        pipe = commands.count == 1 ? commands[0] : "{ \(commands.joined(separator: "; ")); }"
        lines.append("--data-binary @-")
        remarks.append("The body contains NUL bytes, so it is piped through standard input.")
    }

    private mutating func addWay(of call: HTTPCall) {
        if call.redirectsMax > 0 {
            let follows = call.redirectScope == .anywhereWithCredentials ? "--location-trusted" : "-L"
            lines.append("\(follows) --max-redirs \(call.redirectsMax)")
        }
        if call.redirectScope == .sameHost {
            remarks.append("The job follows redirects to the same host only.")
        }
        let route = call.route
        if route.compression { lines.append("--compressed") }
        switch route.httpVersion {
        case .auto: break
        case .http1: lines.append("--http1.1")
        case .http2: lines.append("--http2")
        }
        let connect = Self.seconds(call.connectTimeout)
        lines.append("--connect-timeout \(connect) -m \(Self.seconds(call.attemptTimeout))")
    }

    private mutating func add(_ retry: RetrySpec) {
        guard retry.attemptsMax > 1 else { return }
        var words = "--retry \(retry.attemptsMax - 1)"
        if case .fixed(let wait) = retry.backoff {
            words += " --retry-delay \(Self.seconds(wait, whole: true))"
        }
        lines.append(words)
    }

    private static func seconds(_ duration: Duration, whole: Bool = false) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return "\(seconds)" }
        if whole { return "\(seconds + 1)" }
        let digits = String(1_000 + milliseconds).dropFirst()
        return "\(seconds).\(digits)"
    }

    // MARK: Forms

    /// The options of a form whose parts can be arguments; nil for other content.
    private func multipart(_ spec: NetworkSpec) throws(AOperationError) -> [String]? {
        guard case .multipart(let form) = spec.body,
            !spec.headers.contains(where: { $0.name.lowercased() == "content-type" })
        else { return nil }
        var options: [String] = []
        for part in form.parts {
            guard let (option, value) = try part.option(unknown), let word = value.word else { return nil }
            options.append("\(option) \(word)")
        }
        return options.isEmpty ? nil : options
    }
}

extension MultipartSpec.Part {
    /// `-F` or `--form-string` with its value; nil when curl cannot express the part.
    fileprivate func option(_ unknown: UnknownValues) throws(AOperationError) -> (String, ShellText)? {
        let text: ShellText
        var type = contentType
        switch content {
        case .text(let binding):
            text = try unknown.text { lookup throws(AOperationError) in
                try binding.resolveText("The part \(name)", lookup: lookup)
            }
        case .json(let binding):
            let (one, other) = try unknown.twice { lookup throws(AOperationError) in
                try binding.resolve(lookup: lookup).encoded()
            }
            text = try unknown.text(one, other)
            type = type ?? "application/json"
        default: return nil
        }
        guard !name.utf8.contains(0x3D), !name.isEmpty else { return nil }
        let isBare = type?.isEmpty ?? true
        guard filename != nil || !isBare else { return ("--form-string", ShellText("\(name)=") + text) }
        var option = ShellText("\(name)=") + Self.quoted(text)
        if let filename {
            let file = try unknown.text { lookup throws(AOperationError) in
                try filename.resolveText("The file name of \(name)", lookup: lookup)
            }
            option = option + ShellText(";filename=") + Self.quoted(file)
            // curl gives a type to the names that it knows.
            if type?.isEmpty == true, file.bytes.map({ CurlPart.mediaType(of: $0) != nil }) ?? true {
                return nil
            }
            type = type ?? "text/plain; charset=utf-8"
        }
        if let type, !type.isEmpty { option.append(";type=\(type)".utf8) }
        return ("-F", option)
    }

    /// In double quotes, as curl reads them.
    private static func quoted(_ text: ShellText) -> ShellText {
        let quoted = text.mapBytes { bytes in
            bytes.flatMap { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : [$0] }
        }
        return ShellText("\"") + quoted + ShellText("\"")
    }
}
