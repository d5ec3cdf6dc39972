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

    /// The line of a call.
    /// - Parameters:
    ///   - lookup: resolves references, with marks for unknown values.
    ///   - seed: as for the call itself.
    /// - Throws: the errors of making the call.
    init(
        _ spec: NetworkSpec, retry: RetrySpec?, lookup: Binding.Lookup, seed: String, path: [String]
    ) throws(AOperationError) {
        let call = try spec.makeCall(lookup: lookup, seed: seed, path: path)
        addMethod(of: call)
        let base = spec.connection == nil ? "" : ShellVariable.marked("CONNECTION")
        lines.append(ShellQuote.word(call.url.contains("://") ? call.url : base + call.url))
        try addIdentity(spec, lookup)
        let form = try multipart(spec, lookup)
        for field in call.fields { add(field.name, field.value, isForm: form != nil) }
        if let form { lines += form } else { addContent(of: call) }
        addWay(of: call)
        try addRoute(spec, lookup)
        if let retry { add(retry) }
    }

    /// The command, on one line per part.
    var text: String {
        (pipe.map { $0 + " |\n  " } ?? "") + "curl " + lines.joined(separator: " \\\n  ") + "\n"
    }

    /// Adds the output file.
    mutating func keep(in file: String) { lines.append("-o " + ShellQuote.word(file)) }

    // MARK: Parts

    private mutating func addMethod(of call: HTTPCall) {
        switch (call.method, call.body) {
        case ("GET", nil): break
        case ("HEAD", nil): lines.append("-I")
        case ("POST", _?): break
        default: lines.append("-X " + ShellQuote.word(call.method))
        }
        if call.url.contains(where: { "{}[]".contains($0) }) { lines.append("-g") }
        if Self.losesDots(call.url) { lines.append("--path-as-is") }
    }

    /// Whether curl would normalize the path. A path relative to a connection is meant to be.
    private static func losesDots(_ url: String) -> Bool {
        if let parts = try? URLParts(url) { return URLReference.hasDots(path: parts.path) }
        return url.hasPrefix("/") && URLReference.hasDots(path: String(url.prefix { $0 != "?" }))
    }

    private mutating func add(_ name: String, _ value: String, isForm: Bool) {
        if isForm && name.lowercased() == "content-type" { return }
        if name.lowercased() == "user-agent", !value.isEmpty {
            lines.append("-A " + ShellQuote.word(value))
        } else {
            lines.append("-H " + ShellQuote.word(value.isEmpty ? "\(name);" : "\(name): \(value)"))
        }
    }

    private mutating func addIdentity(
        _ spec: NetworkSpec, _ lookup: Binding.Lookup
    ) throws(AOperationError) {
        if let name = spec.connection {
            remarks.append("The connection \(name) adds its base URL ($CONNECTION), fields and credentials.")
        }
        guard let credentials = spec.auth.credentials else { return }
        guard type(of: credentials).isSentAsIs else {
            remarks.append("The job identifies itself with \(spec.auth.name), which this line does not.")
            return
        }
        switch try credentials.identity(lookup: lookup, secrets: .named) {
        case .basic(let username, let password):
            lines.append("-u " + ShellQuote.word("\(username):\(password)"))
        case .bearer(let token): lines.append("--oauth2-bearer " + ShellQuote.word(token))
        case .field(let name, let value): add(name, value, isForm: false)
        case .signature, .fetchedToken: break
        }
    }

    private mutating func addRoute(
        _ spec: NetworkSpec, _ lookup: Binding.Lookup
    ) throws(AOperationError) {
        if spec.tls.minimum == .v1_3 { lines.append("--tlsv1.3") }
        if spec.tls.authorities != nil || spec.tls.clientCertificate != nil {
            remarks.append("The job has certificates, which this line lacks.")
        }
        guard let proxy = spec.proxy else { return }
        lines.append("-x " + ShellQuote.word(proxy.url))
        if !proxy.bypass.isEmpty {
            lines.append("--noproxy " + ShellQuote.word(proxy.bypass.joined(separator: ",")))
        }
        if let username = proxy.username, let password = proxy.password {
            let name = try username.resolveText("proxy.username", lookup: lookup)
            let word = try password.resolveText("proxy.password", lookup: lookup)
            lines.append("-U " + ShellQuote.word("\(name):\(word)"))
        }
    }

    private mutating func addContent(of call: HTTPCall) {
        guard let body = call.body else {
            if ["POST", "PUT", "PATCH"].contains(call.method) { lines += ["-d ''", "-H 'Content-Type:'"] }
            return
        }
        if let word = ShellQuote.word(body) {
            lines.append("--data-raw " + word)
            return
        }
        let encoded = String(decoding: Base64.encode(body), as: UTF8.self)
        pipe = "printf %s \(encoded) | base64 -d"
        lines.append("--data-binary @-")
        remarks.append("The content has bytes that no argument can have; a pipe brings them.")
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
    private func multipart(
        _ spec: NetworkSpec, _ lookup: Binding.Lookup
    ) throws(AOperationError) -> [String]? {
        guard case .multipart(let form) = spec.body,
            !spec.headers.contains(where: { $0.name.lowercased() == "content-type" })
        else { return nil }
        var options: [String] = []
        for part in form.parts {
            guard let option = try part.option(lookup) else { return nil }
            options.append(option)
        }
        return options.isEmpty ? nil : options
    }
}

extension MultipartSpec.Part {
    /// `-F` or `--form-string`; nil when curl cannot express the part.
    fileprivate func option(_ lookup: Binding.Lookup) throws(AOperationError) -> String? {
        let text: String
        var type = contentType
        switch content {
        case .text(let binding): text = try binding.resolveText("The part \(name)", lookup: lookup)
        case .json(let binding):
            text = String(decoding: try binding.resolve(lookup: lookup).encoded(), as: UTF8.self)
            type = type ?? "application/json"
        default: return nil
        }
        guard !name.contains("="), !name.isEmpty, !text.utf8.contains(0) else { return nil }
        guard filename != nil || type != nil else {
            return "--form-string " + ShellQuote.word("\(name)=\(text)")
        }
        var option = "\(name)=\(Self.quoted(text))"
        if let filename {
            let file = try filename.resolveText("The file name of \(name)", lookup: lookup)
            option += ";filename=\(Self.quoted(file))"
            type = type ?? "text/plain; charset=utf-8"
        }
        if let type { option += ";type=\(type)" }
        return "-F " + ShellQuote.word(option)
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
