import DurableJobs
import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `/v1/secrets`: values that requests refer to by name and that cannot be read back.
enum Secrets {
    /// The maximum size of a request body that stores a secret.
    static let bodyBytesMax = 128 << 10
    /// The maximum size of a value.
    static let valueBytesMax = 64 << 10

    /// `PUT /v1/secrets/{name}` `{"text": "…"}` or `{"base64": "…"}`: 201 for a new one, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "secret", else: .secretNotFound)
        let value = try read(context.request)
        guard context.server.store.isShared else { return put(value, name, context) }
        try context.onReaderThread { reader throws(Problem) in
            let servers: [ServerRecord]
            do throws(JobStoreError) { servers = try reader.servers() } catch { throw Problem(error) }
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
        let secrets = context.secrets
        secrets.put(
            value, name: name, by: context.caller.by, at: context.startedAt, in: context.auditedStore
        ) { result in
            if case .success = result { log(context, "secret_stored", name) }
            context.goOn { () throws(Problem) in
                do throws(JobStoreError) {
                    let entry = try result.get()
                    context.answer(entry.record.version == 1 ? .created : .ok, json: bytes(entry, secrets))
                } catch {
                    throw Problem(error)
                }
            }
        }
    }

    /// `GET /v1/secrets`: all secrets without their values.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/secrets", &query)
        let secrets = context.secrets
        try paging.answer(context, named: secrets.all, itemBytes: 256, name: { $0.record.name }) {
            write($0, secrets, to: &$1)
        }
    }

    /// `GET /v1/secrets/{name}`: one secret without its value.
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "secret", else: .secretNotFound)
        guard let entry = context.secrets.entry(name) else { throw missing(name) }
        context.answer(.ok, json: bytes(entry, context.secrets))
    }

    /// `DELETE /v1/secrets/{name}`: later calls that need it fail.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "secret", else: .secretNotFound)
        context.secrets.remove(name, in: context.auditedStore) { result in
            if case .success = result { log(context, "secret_removed", name) }
            context.goOn { () throws(Problem) in
                do throws(JobStoreError) { try result.get() } catch {
                    throw error.code == .noSetting ? missing(name) : Problem(error)
                }
                context.answer(HTTPResponse(status: .noContent, fields: HTTPFields(), body: .empty))
            }
        }
    }

    static func missing(_ name: String) -> Problem {
        Problem(.secretNotFound, "There is no secret \(name). Store it with PUT.")
    }

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
                .invalidBody, #"The body says the value: {"text": "…"}, or {"base64": "…"} for bytes."#)
        }
        guard (1...valueBytesMax).contains(value.bytes.count) else {
            throw Problem(.invalidBody, "A secret has 1 to \(valueBytesMax) bytes.")
        }
        return value
    }

    private static func bytes(_ entry: StoredSecrets.Entry, _ secrets: StoredSecrets) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        write(entry, secrets, to: &json)
        return json.line()
    }

    private static func write(
        _ entry: StoredSecrets.Entry, _ secrets: StoredSecrets, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("name", entry.record.name)
        json.member("kind", entry.value.isText ? "text" : "bytes")
        json.member("version", entry.record.version)
        json.member("fingerprint", secrets.fingerprint(of: entry))
        json.member("updated_at", entry.record.updatedAt)
        json.member("updated_by", entry.record.updatedBy)
        json.endObject()
    }

    private static func log(_ context: RequestContext, _ event: StaticString, _ name: String) {
        context.server.log.write(.info, event) { line in
            line.member("secret", name)
            line.member("by", context.caller.by)
        }
    }
}
