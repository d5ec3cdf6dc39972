internal import StrictJSON

/// Reads the request of a call.
struct RequestReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    private static let members = [
        "method", "url", "vars", "query", "headers", "json", "form", "text", "base64", "multipart",
        "artifact", "auth", "redirects", "http", "tls", "proxy", "conditional", "cookies",
        "idempotency_key",
    ]
    /// The members that are the content of a request.
    static let contents = ["json", "form", "text", "base64", "multipart", "artifact"]

    func read(_ value: JSONValue, defaultMethod: String, _ reading: inout SpecReading) -> NetworkSpec? {
        var call = NetworkSpec(url: "")
        call.method = defaultMethod
        if case .string = value {
            guard let url = URLReader(scope).literalURL(value, &reading) else { return nil }
            call.url = url
            return call
        }
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "a URL or an object", suggestion: #"{"method": "GET", "url": "https://example.com/"}"#)
            return nil
        }
        reading.members(of: object, "A request", known: Self.members) { reading, name, value in
            member(name, value, of: &call, &reading)
        }
        if let value = object["url"] {
            reading.inside("url") { URLReader(scope).readURL(value, of: &call, &$0) }
        } else {
            reading.missing("url", "Write the URL to call.", suggestion: #""url": "https://example.com/""#)
        }
        checkTogether(object, call, &reading)
        return call
    }

    private func member(
        _ name: String, _ value: JSONValue, of call: inout NetworkSpec, _ reading: inout SpecReading
    )
        -> Bool
    {
        switch name {
        case "method": if let method = ProtocolReader.method(value, &reading) { call.method = method }
        case "url": break
        case "vars":
            call.vars = BindingReader(scope).entries(of: value, "an object of values by name", &reading)
        case "query": call.query = parameters(value, &reading)
        case "headers": call.headers = FieldReader(scope).headers(value, &reading)
        case "json": call.body = .json(BindingReader(scope).binding(value, &reading))
        case "form": call.body = .form(parameters(value, &reading))
        case "text" where value.object.map { !$0.members.contains { $0.name.utf8.first == 0x24 } } ?? false:
            reading.wrongType(value, "a text", suggestion: "json", remedy: "\"json\" sends any value.")
        case "text": call.body = .text(BindingReader(scope).textBinding(value, &reading))
        case "base64": call.body = MultipartReader.base64Bytes(value, &reading).map(NetworkSpec.Body.base64)
        case "multipart": call.body = MultipartReader(scope).multipart(value, &reading)
        case "artifact":
            call.body = MultipartReader(scope).content(value, &reading).map(NetworkSpec.Body.artifact)
        case "auth":
            call.auth = AuthKinds.read(value, scope, &reading)
            call.hasOwnAuth = true
        case "tls": call.tls = RouteReader(scope).tls(value, &reading)
        case "proxy": call.proxy = RouteReader(scope).proxy(value, &reading)
        case "redirects": call.redirects = ProtocolReader.redirects(value, &reading)
        case "http": call.http = ProtocolReader.httpProtocol(value, &reading)
        case "conditional": call.isConditional = reading.bool(value) ?? false
        case "cookies":
            if case .object = value {
                reading.wrongType(
                    value, "true or false", suggestion: "true",
                    remedy: #"A cookie of your own is a header: {"Cookie": "name=value"}."#)
            } else {
                call.keepsCookies = reading.bool(value) ?? false
            }
        case "idempotency_key": call.idempotencyKey = idempotencyKey(value, &reading)
        default: return noteBeside(name, &reading)
        }
        return true
    }

    /// Reports a member that belongs beside `request`, or that no request needs; false for any other.
    private func noteBeside(_ name: String, _ reading: inout SpecReading) -> Bool {
        if FamiliarWords.noteRequestMember(name, &reading) { return true }
        let beside = ["timeouts", "retry", "expect", "connection", "save"]
        guard reading.suggestion(for: name, in: Self.members) == nil,
            let right = reading.suggestion(for: name, in: beside)
        else { return false }
        reading.note(
            .unknownMember, "\"\(right)\" belongs beside \"request\", not inside it. Move it out.",
            suggestion: right == name ? nil : right)
        return true
    }

    /// Reports members that contradict each other.
    private func checkTogether(_ object: JSONObject, _ call: NetworkSpec, _ reading: inout SpecReading) {
        let written = Self.contents.filter { object[$0] != nil }
        if written.count > 1 {
            reading.note(
                member: written[1], .conflict,
                "A request has one content, not several (\(written.joined(separator: ", "))). Leave out all but one."
            )
        }
        if call.isConditional { ProtocolReader.checkConditional(call, &reading) }
        if let content = written.first, call.method == "HEAD" {
            reading.note(
                member: content, .conflict,
                "A HEAD request has no content: it requests the head of the answer to GET.")
        }
        // A stored spec may be of a version that accepted this.
        guard reading.kinds != nil else { return }
        let own = call.auth.fieldNames
        for header in call.headers
        where !reading.isCut && !own.isEmpty && own.contains(header.name.lowercased()) {
            reading.note(
                member: "auth", .conflict,
                "The request has a header \"\(header.name)\" and \"auth\", which sets it, too. Leave one out."
            )
        }
    }

    private func idempotencyKey(_ value: JSONValue, _ reading: inout SpecReading) -> NetworkSpec
        .IdempotencyKey?
    {
        guard let text = reading.string(value, bytes: 1...255) else { return nil }
        if text == "auto" { return .auto }
        FieldReader.checkValue(text, "The idempotency key", &reading)
        return .fixed(text)
    }

    /// Parameters by name: texts, lists of texts for repeated ones, null for none.
    private func parameters(_ value: JSONValue, _ reading: inout SpecReading) -> [NetworkSpec.Entry] {
        if case .string = value {
            reading.wrongType(value, "an object of values by name", suggestion: #"{"page": "2"}"#)
            return []
        }
        let entries = BindingReader(scope).entries(of: value, "an object of values by name", &reading)
        for entry in entries {
            guard case .literal(let literal) = entry.value, !literal.isNull, literal.plainText == nil else {
                continue
            }
            if case .array(let elements) = literal, elements.allSatisfy({ $0.isNull || $0.plainText != nil })
            {
                continue
            }
            reading.inside(entry.name) { $0.wrongType(literal, "a text, a number or a list of those") }
        }
        return entries
    }
}
