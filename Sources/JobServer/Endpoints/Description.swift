import HTTPMessage

/// `GET /openapi.yaml`: the description of the API, as it was when the program was built.
enum Description {
    static let text = EmbeddedFile.openapi

    /// Shows the description.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        var fields = HTTPFields()
        fields.add("Content-Type", "application/yaml")
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(text)))
    }
}
