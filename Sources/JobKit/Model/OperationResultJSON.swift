public import StrictJSON

/// The stored form of a result. It keeps every byte: `body` is there when the content is UTF-8, otherwise
/// `body_base64`, or `artifact` when the content is in a file. Headers are pairs, because a name may occur twice.
extension OperationResult {
    /// Writes the result as one JSON object `{status, headers, content_type, content_coding, body | body_base64 |
    /// artifact}`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("status", ifKnown: status)
        writer.name("headers")
        writer.beginArray()
        for header in headers {
            writer.beginArray()
            writer.value(header.name)
            writer.value(header.value)
            writer.endArray()
        }
        writer.endArray()
        writer.member("content_type", ifKnown: contentType)
        if let contentCoding { writer.member("content_coding", contentCoding) }
        if let artifact {
            writer.name("artifact")
            artifact.write(to: &writer)
        } else if let text = String(validating: body, as: UTF8.self) {
            writer.member("body", text)
        } else {
            writer.member("body_base64", String(decoding: Base64.encode(body), as: UTF8.self))
        }
        writer.endObject()
    }

    /// Decodes the form of `write(to:)`.
    ///
    /// - Throws: `StoredFormError` when a member has another type or the base 64 is damaged.
    public init(stored json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "result")
        var headers: [Header] = []
        for pair in try stored.array("headers") {
            guard case .array(let texts) = pair, texts.count == 2, case .string(let name) = texts[0],
                case .string(let value) = texts[1]
            else { throw StoredFormError("A header of the stored result is not a pair of strings.") }
            headers.append(Header(name: name, value: value))
        }
        var body: [UInt8] = []
        if let text = try stored.string("body") {
            body = Array(text.utf8)
        } else if let text = try stored.string("body_base64") {
            guard let bytes = Base64.decode(text.utf8) else {
                throw StoredFormError("\"body_base64\" of the stored result is damaged.")
            }
            body = bytes
        }
        self.init(
            status: try stored.int("status"), headers: headers,
            contentType: try stored.string("content_type"),
            body: body)
        contentCoding = try stored.string("content_coding")
        artifact = try stored.value("artifact").map(ArtifactReference.init(stored:))
    }
}
