internal import StrictJSON

/// Calls.
extension SpecReading {
    private static let requestMembers = [
        "method", "url", "vars", "query", "headers", "json", "form", "text", "base64", "multipart",
        "artifact", "auth", "redirects", "http", "tls", "proxy", "conditional", "cookies",
        "idempotency_key",
    ]
    /// The members that are the content of a request.
    static let contents = ["json", "form", "text", "base64", "multipart", "artifact"]

    /// `request` with `retry`, `timeouts` and `expect`, which every operation that makes calls has.
    mutating func call(
        _ object: JSONObject, _ draft: inout OperationDraft, defaultMethod: String = "GET"
    ) -> NetworkSpec? {
        let retry =
            object["retry"].map { value in inside("retry") { $0.retryMembers(value) } } ?? RetryMembers()
        draft.retry = retry.rule(over: defaults.retry)
        draft.timeout = draft.timeout ?? defaults.timeouts.total
        draft.sources = sources(retry, draft.timeouts)
        draft.expect = object["expect"].map { value in inside("expect") { $0.expectation(value) } }
        guard let value = object["request"] else {
            missing("request", "Say what is called.", suggestion: #""request": "https://example.com/""#)
            return nil
        }
        let name = object["connection"].map { value in inside("connection") { $0.connectionName(value) } }
        let connection = name ?? defaults.connection
        isInRequest = true
        hasConnection = connection != nil
        defer { (isInRequest, hasConnection) = (false, false) }
        var call = inside("request") { $0.request(value, defaultMethod: defaultMethod) }
        if var found = call {
            if let value = object["to"] {
                found.target = inside("to") { $0.target(value) }
            }
            draft.timeouts.apply(to: &found, over: defaults.timeouts)
            found.connection = connection
            call = found
        }
        return call
    }

    /// Who says what of the settings of a call; what is not there, nobody says.
    private func sources(_ retry: RetryMembers, _ timeouts: TimeoutMembers) -> [String: SettingSource] {
        var sources: [String: SettingSource] = [:]
        for name in defaults.retry.changes.keys { sources["retry." + name] = .defaults }
        for name in defaults.timeouts.names { sources["timeouts." + name] = .defaults }
        for name in retry.changes.keys { sources["retry." + name] = .spec }
        for name in timeouts.names { sources["timeouts." + name] = .spec }
        return sources
    }

    private mutating func request(_ value: JSONValue, defaultMethod: String) -> NetworkSpec? {
        var call = NetworkSpec(url: "")
        call.method = defaultMethod
        if case .string = value {
            guard let url = literalURL(value) else { return nil }
            call.url = url
            return call
        }
        guard case .object(let object) = value else {
            wrongType(
                value, "a URL or an object", suggestion: #"{"method": "GET", "url": "https://example.com/"}"#)
            return nil
        }
        members(of: object, "A request", known: Self.requestMembers) { reading, name, value in
            reading.requestMember(name, value, of: &call)
        }
        if let value = object["url"] {
            inside("url") { $0.readURL(value, of: &call) }
        } else {
            missing("url", "Say what is called.", suggestion: #""url": "https://example.com/""#)
        }
        checkTogether(object, call)
        return call
    }

    private mutating func requestMember(_ name: String, _ value: JSONValue, of call: inout NetworkSpec)
        -> Bool
    {
        switch name {
        case "method": if let method = method(value) { call.method = method }
        case "url": break
        case "vars": call.vars = entries(of: value, "an object of values by name")
        case "query": call.query = parameters(value)
        case "headers": call.headers = headers(value)
        case "json": call.body = .json(binding(value))
        case "form": call.body = .form(parameters(value))
        case "text": call.body = .text(textBinding(value))
        case "base64": call.body = base64Bytes(value).map(NetworkSpec.Body.base64)
        case "multipart": call.body = multipart(value)
        case "artifact": call.body = content(value).map(NetworkSpec.Body.artifact)
        case "auth":
            call.auth = AuthKinds.read(value, &self)
            call.hasOwnAuth = true
        case "tls": call.tls = tls(value)
        case "proxy": call.proxy = proxy(value)
        case "redirects": call.redirects = redirects(value)
        case "http": call.http = httpProtocol(value)
        case "conditional": call.isConditional = bool(value) ?? false
        case "cookies": call.keepsCookies = bool(value) ?? false
        case "idempotency_key": call.idempotencyKey = idempotencyKey(value)
        default: return noteBeside(name)
        }
        return true
    }

    /// A word for what stands beside `request`; false when it is none.
    private mutating func noteBeside(_ name: String) -> Bool {
        let beside = ["timeouts", "retry", "expect", "connection", "to"]
        guard OtherWords.meant(by: name, in: Self.requestMembers) == nil,
            let meant = OtherWords.meant(by: name, in: beside)
        else { return false }
        note(
            .unknownMember, "\"\(meant)\" stands beside \"request\", not inside of it. Move it out.",
            suggestion: meant == name ? nil : meant)
        return true
    }

    /// What several members say together.
    private mutating func checkTogether(_ object: JSONObject, _ call: NetworkSpec) {
        let written = Self.contents.filter { object[$0] != nil }
        if written.count > 1 {
            note(
                member: written[1], .conflict,
                "A request has one content, not several (\(written.joined(separator: ", "))). Leave out all but one."
            )
        }
        if call.isConditional { checkConditional(call) }
        if let content = written.first, call.method == "HEAD" {
            note(
                member: content, .conflict,
                "A HEAD request has no content: what it asks for is the head of an answer to GET.")
        }
        if !call.auth.isNone, call.hasHeader("authorization") {
            note(
                member: "auth", .conflict,
                "The request has an Authorization header and \"auth\", which sets it, too. Leave one out.")
        }
    }

    private mutating func idempotencyKey(_ value: JSONValue) -> NetworkSpec.IdempotencyKey? {
        guard let text = string(value, bytes: 1...255) else { return nil }
        if text == "auto" { return .auto }
        checkFieldValue(text, "The idempotency key")
        return .fixed(text)
    }

    /// Parameters by name: texts, lists of texts for repeated ones, null for none.
    private mutating func parameters(_ value: JSONValue) -> [NetworkSpec.Entry] {
        let entries = entries(of: value, "an object of values by name")
        for entry in entries {
            guard case .literal(let literal) = entry.value, !literal.isNull, literal.plainText == nil else {
                continue
            }
            if case .array(let elements) = literal, elements.allSatisfy({ $0.plainText != nil }) { continue }
            inside(entry.name) { $0.wrongType(literal, "a text, a number or a list of those") }
        }
        return entries
    }

    /// A value that becomes text: a string, a number, a truth value, or something filled in.
    mutating func textBinding(_ value: JSONValue) -> Binding {
        let binding = binding(value)
        switch (binding, value) {
        case (.literal, .string), (.literal, .number), (.literal, .bool): break
        case (.get, _), (.text, _): break
        default:
            wrongType(
                value,
                "a text, or something that is filled in with \"$get\", \"$text\" or, in a request, \"$secret\""
            )
        }
        return binding
    }
}
