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

    /// `PUT /v1/secrets/{name}` `{"text": "…"}` or `{"base64": "…"}`: 201 for a new one, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try name(context)
        let value = try read(context.request)
        guard context.server.store.isShared else { return put(value, name, context) }
        try context.onReaderThread { reader throws(Problem) in
            let servers = try stored(reader.servers())
            let mark = context.secrets.keyMark
            if let other = servers.first(where: { $0.secretKey.map { $0 != mark } ?? false }) {
                throw Problem(
                    .secretKeyMismatch,
                    "The server \(other.id) on \(other.host) has another secret key, so it could not open the value. "
                        + "Start all servers with the same key file (--secret-key-file).")
            }
            put(value, name, context)
        }
    }

    private static func put(_ value: SecretValue, _ name: String, _ context: RequestContext) {
        let draft = context.secrets.draft(value, name: name, by: context.caller.by, at: context.startedAt)
        put(draft, of: value, context)
    }

    static func settings(_ context: RequestContext) -> SettingScope<SecretValue> { context.secrets.settings }

    private static func read(_ request: HTTPRequest) throws(Problem) -> SecretValue {
        var body = try CommandBody(request)
        let text = body.text("text", bytesMax: valueBytesMax)
        let encoded = body.text("base64", bytesMax: valueBytesMax * 4 / 3 + 4)
        var value = SecretValue(bytes: Array((text ?? "").utf8), isText: true)
        if let encoded {
            let bytes = Base64.decode(encoded.utf8)
            if bytes == nil { body.refuse("base64", "base64 must be base 64 as in RFC 4648 §4") }
            value = SecretValue(bytes: bytes ?? [], isText: false)
        }
        if text != nil && encoded != nil { body.refuse("base64", "give text or base64, not both") }
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
        json.beginObject()
        json.member("name", entry.record.name)
        json.member("kind", entry.value.isText ? "text" : "bytes")
        json.member("version", entry.record.version)
        json.member("fingerprint", context.secrets.fingerprint(of: entry))
        json.member("updated_at", entry.record.updatedAt)
        json.member("updated_by", by: entry.record.updatedBy)
        json.endObject()
    }
}
