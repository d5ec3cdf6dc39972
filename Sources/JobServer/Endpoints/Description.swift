import HTTPMessage

/// `GET /openapi.yaml`: the description of the API, embedded at build time.
enum Description {
    static let text = EmbeddedFile.openapi

    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        var fields = HTTPFields()
        fields.add("Content-Type", "application/yaml")
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(text)))
    }
}
