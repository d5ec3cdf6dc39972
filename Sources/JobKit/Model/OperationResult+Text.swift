internal import HTTPMessage
public import StrictJSON

extension OperationResult {
    /// The content as JSON: parsed when it is JSON, a string when it is text (see `readBody()`), null when it is empty.
    /// Binary content is `{"base64", "content_type", "content_coding"}`, so that no byte is lost. An artifact is
    /// `{"artifact": {"sha256", "bytes", "name"}}`.
    public var bodyValue: JSONValue {
        if let artifact { return .object(JSONObject([("artifact", artifact.value)])) }
        if let value = try? readBody() { return value }
        var object = JSONObject()
        object["base64"] = .string(String(decoding: Base64.encode(body), as: UTF8.self))
        if let contentType { object["content_type"] = .string(contentType) }
        if let contentCoding { object["content_coding"] = .string(contentCoding) }
        return .object(object)
    }

    /// The content in `body` as JSON: parsed when it is JSON, a string when it is text, null when it is empty.
    /// - Throws: `reference.type` when it is neither. Text is decoded by its charset, UTF-8 by default.
    package func readBody() throws(AOperationError) -> JSONValue { try readContent().value }

    /// The same, and whether the content is JSON.
    package func readContent() throws(AOperationError) -> (value: JSONValue, isJSON: Bool) {
        if body.isEmpty { return (.null, false) }
        if isJSON, contentCoding == nil, let value = Self.parse(body) { return (value, true) }
        let text = try text()
        // JSON has no charsets (RFC 8259 §8.1), and some servers use them.
        if isJSON, !text.utf8.elementsEqual(body), let value = Self.parse(Array(text.utf8)) {
            return (value, true)
        }
        return (.string(text), false)
    }

    private static func parse(_ bytes: [UInt8]) -> JSONValue? {
        try? JSONParser.parse(bytes, limits: JSONLimits(bytesMax: bytes.count))
    }

    /// The content in `body` as text.
    func text() throws(AOperationError) -> String {
        if let contentCoding {
            throw notText(
                "was kept in its coding (\(contentCoding))", "Ask for it with http.compression, or ")
        }
        guard let charset else {
            if let text = String(validating: body, as: UTF8.self) { return text }
            throw notText("is no text in UTF-8, and names no other charset")
        }
        let name = String(quotable: charset)
        do throws(Charset.Fault) {
            return try Charset.text(of: body, in: charset)
        } catch {
            // Plain ASCII has the same meaning in all charsets without a name here.
            guard error == .unknown else { throw notText("is not what its charset \"\(name)\" allows") }
            guard body.allSatisfy({ $0 < 0x80 }) else {
                throw notText("is in the charset \"\(name)\", which is not known here")
            }
            return String(decoding: body, as: UTF8.self)
        }
    }

    private func notText(_ why: String, _ otherwise: String = "") -> AOperationError {
        let type = contentType.map { " (\(String(quotable: $0)))" } ?? ""
        let remedy = otherwise.isEmpty ? "Hand" : otherwise + "hand"
        return AOperationError(
            .referenceType,
            detail: "The content\(type) \(why), and cannot be used as a text. \(remedy) it on as it is, with "
                + "\"artifact\".")
    }

    /// The name of the charset other than UTF-8 and ASCII that the content is in; nil for those two.
    private var charset: String? {
        let type = contentType.flatMap { MediaType($0) }
        let name = type?.parameter("charset") ?? type.flatMap(impliedCharset)
        guard let name, !name.isEmpty, !Self.utf8Names.contains(name.lowercased()) else { return nil }
        return name
    }

    private static let utf8Names: Set<String> = ["utf-8", "utf8", "us-ascii", "ascii"]

    /// The charset implied by the beginning of the content: a byte order mark of UTF-16, or XML (RFC 7303 §3).
    private func impliedCharset(_ type: MediaType) -> String? {
        let isXML = type.subtype == "xml" || type.subtype.hasSuffix("+xml")
        guard isXML || type.isJSON || type.type == "text" else { return nil }
        if body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE]) { return "utf-16" }
        guard isXML, body.starts(with: "<?xml".utf8) else { return nil }
        let head = String(decoding: body.prefix(200), as: UTF8.self).prefix { $0 != ">" }
        guard let name = head.firstRange(of: "encoding") else { return nil }
        let value = head[name.upperBound...].drop { $0 != "\"" && $0 != "'" }
        guard let quote = value.first else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }
}
