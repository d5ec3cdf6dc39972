internal import HTTPMessage
internal import StrictJSON

/// The subject of an approval: as shown to people, and as the text that its digest is computed from.
struct ApprovalSubject: Sendable {
    /// The JSON that is shown.
    private(set) var shown: JSONObject
    /// The text of the digest. Credentials are hidden in it, so that they cannot be guessed from the digest.
    let text: [UInt8]

    /// The maximum size of a request's content that is shown; the digest covers all of it.
    static let bodyBytesMax = 64 << 10
    private static let hidden = "(hidden)"
    private static let credentialMarks = [
        "auth", "cookie", "token", "secret", "key", "passw", "credential", "session",
    ]

    /// A call as it will be sent, with its credentials hidden.
    init(call: HTTPCall, as spec: NetworkSpec, of connection: ConnectionSpec?) {
        let auth = spec.auth(by: connection, for: call.url)
        var call = call
        let sent = Set(call.fields.map { $0.name.lowercased() })
        for name in auth.fieldNames where !sent.contains(name) { call.fields.append((name, Self.hidden)) }
        self.init(call: call, hiding: Set(auth.fieldNames), connection: spec.connection)
        guard !auth.isNone else { return }
        shown["auth"] = .string(auth.name)
    }

    /// A call as it will be sent.
    init(call: HTTPCall, hiding extra: Set<String> = [], connection: String? = nil) {
        var shown = JSONObject([
            ("type", "network"), ("method", .string(call.method)), ("url", .string(call.url)),
        ])
        var text = "\(call.method) \(call.url)\n"
        if let connection {
            shown["connection"] = .string(connection)
            text += "connection \(connection)\n"
        }
        var headers = JSONObject()
        for field in call.fields {
            let name = field.name.lowercased()
            let value = extra.contains(name) || Self.carriesCredentials(name) ? Self.hidden : field.value
            headers[name] = .string(value)
            text += "\(name): \(value)\n"
        }
        shown["headers"] = .object(headers)
        let body = call.body ?? []
        shown["body_bytes"] = .number(JSONNumber(Int64(body.count)))
        if let beginning = Self.beginning(of: body) { shown["body"] = .string(beginning) }
        self.shown = shown
        self.text = Array((text + "\n").utf8) + body
    }

    /// Another operation, which is determined by the spec, with its resolved members.
    init(type: String, path: [String], members: JSONObject?) {
        var shown = JSONObject([("type", .string(type))])
        if let members { shown["members"] = .object(members) }
        self.shown = shown
        let filled = members.map { JSONValue.object($0).encoded() } ?? []
        text = Array("\(type) \(path.joined(separator: "/"))\n\n".utf8) + filled
    }

    private static func carriesCredentials(_ name: String) -> Bool {
        name != "idempotency-key" && credentialMarks.contains { name.contains($0) }
    }

    /// The beginning of a text in whole characters; nil when there is none or it is not text.
    private static func beginning(of body: [UInt8]) -> String? {
        guard !body.isEmpty else { return nil }
        var end = min(body.count, bodyBytesMax)
        while end > 0, end < body.count, body[end] & 0xC0 == 0x80 { end -= 1 }
        return String(validating: body[..<end], as: UTF8.self)
    }
}
