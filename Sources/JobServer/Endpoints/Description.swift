import HTTPMessage
import StrictJSON
import StrictYAML

/// `GET /openapi.yaml` and `GET /openapi.json`: the description of the API, embedded at build time.
enum Description {
    static let text = EmbeddedFile.openapi
    /// The same as JSON, made when it is first asked for; nil for a file that cannot be read, which a test prevents.
    static let json: [UInt8]? = {
        let documents = try? YAMLDocument.all(in: text, limits: .init(bytesMax: text.count))
        return documents?.first.map { $0.value.encoded() }
    }()

    static func yaml(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        var fields = HTTPFields()
        fields.add("Content-Type", "application/yaml")
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(text)))
    }

    static func json(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        guard let json else {
            throw Problem(.internalError, "The description cannot be turned into JSON. Read /openapi.yaml.")
        }
        context.answer(.ok, json: json)
    }
}
