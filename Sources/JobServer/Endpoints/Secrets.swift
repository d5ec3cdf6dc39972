import DurableJobs
import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `/v1/secrets`: values that requests refer to by name and that cannot be read back.
enum Secrets: ListedSettings {
    static let kind = SettingKind.secret
    static let events: SettingEvents = ("secret_stored", "secret_removed")
    static let path = "/v1/secrets"
    /// The maximum size of a request body that stores a secret.
    static let bodyBytesMax = 128 << 10
    /// The maximum size of a value.
    static let valueBytesMax = 64 << 10

    /// Those that say what the value is; the value itself is never shown.
    static let state = ["kind"]

    /// `PUT /v1/secrets/{name}` `{"text": "…"}` or `{"base64": "…"}`: 201 for a new one, else 200. What GET gave keeps
    /// the value.
    static func put(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try name(context)
        let body = try body(context, name)
        let given = try body.read { spec throws(Problem) in try read(spec, name, context) }
        guard let value = given else {
            _ = try body.expected(of: name, now: known(name, context)?.version ?? 0)
            return try answer(name, context)
        }
        var draft = context.secrets.draft(value, name: name, by: context.caller.by, at: context.startedAt)
        try expect(body, &draft, context)
        try context.read { [draft] reader throws(Problem) in
            try SharedKey.check(context, reader, else: "it could not open the value")
            put(draft, of: value, context)
        }
    }

    static func settings(_ context: RequestContext) -> SettingScope<SecretValue> { context.secrets.settings }

    /// The value; nil for the fingerprint of the one that is stored, which keeps it.
    private static func read(
        _ spec: JSONValue, _ name: String, _ context: RequestContext
    ) throws(Problem) -> SecretValue? {
        var body = try CommandBody(spec)
        let text = body.text("text", bytesMax: valueBytesMax)
        let encoded = body.text("base64", bytesMax: valueBytesMax * 4 / 3 + 4)
        let fingerprint = body.text("fingerprint", bytesMax: 64)
        var value = SecretValue(bytes: Array((text ?? "").utf8), isText: true)
        if let encoded {
            let bytes = Base64.decode(encoded.utf8)
            if bytes == nil { body.refuse("base64", "base64 must be base 64 as in RFC 4648 §4") }
            value = SecretValue(bytes: bytes ?? [], isText: false)
        }
        if text != nil && encoded != nil { body.refuse("base64", "give text or base64, not both") }
        if let fingerprint, text == nil, encoded == nil {
            let known = context.secrets.settings[name].map(context.secrets.fingerprint)
            if let known, known.utf8.elementsEqual(fingerprint.utf8) {
                try body.finish()
                return nil
            }
            body.refuse(
                "fingerprint",
                "fingerprint does not match the stored value; send the value itself as text or base64")
        }
        try body.finish()
        guard text != nil || encoded != nil else {
            throw Problem(
                .invalidBody,
                #"The body must contain the value: {"text": "…"}, or {"base64": "…"} for bytes."#)
        }
        guard (1...valueBytesMax).contains(value.bytes.count) else {
            throw Problem(.invalidBody, "A secret has 1 to \(valueBytesMax) bytes.")
        }
        return value
    }

    /// Writes a secret without its value.
    static func write(
        _ entry: SettingScope<SecretValue>.Entry, _ context: RequestContext, to json: inout JSONWriter
    ) {
        var head = NamedHead(entry.record)
        let spec: JSONValue = ["fingerprint": .string(context.secrets.fingerprint(of: entry))]
        head.spec = spec.encoded()
        head.write(to: &json) { $0.member("kind", entry.value.isText ? "text" : "bytes") }
    }
}
