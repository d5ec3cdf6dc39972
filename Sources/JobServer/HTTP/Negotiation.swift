import HTTPMessage

/// Content negotiation: checks media types and codings of requests.
enum Negotiation {
    /// Refuses a request whose `Accept` fields exclude JSON.
    static func check(_ fields: HTTPFields) throws(Problem) {
        // The value that most clients send.
        guard let first = fields.first("accept"), !first.elementsEqual(anything), !isPlainJSON(first) else {
            return
        }
        let accept = fields.combined("accept") ?? ""
        guard !ours.contains(where: { $0.quality(inAccept: accept) > 0 }) else { return }
        throw Problem(.notAcceptable, "This answer is application/json, which the Accept field excludes.")
    }

    /// Refuses a request whose `Accept` fields exclude event streams.
    static func checkStream(_ fields: HTTPFields) throws(Problem) {
        guard let accept = fields.combined("accept"), let type = MediaType(StreamText.contentType),
            type.quality(inAccept: accept) == 0
        else { return }
        throw Problem(
            .notAcceptable,
            "This answer is \(StreamText.contentType), which the Accept field excludes. For one answer: GET /v1/jobs."
        )
    }

    /// The types of answers and of errors: a client that accepts one accepts the other.
    private static let ours = [json, "application/problem+json"].compactMap(MediaType.init)
    private static let json = "application/json"

    /// Whether the `Accept` fields prefer `type` to JSON. Equal weights select JSON.
    /// - Throws: `.notAcceptable` when they exclude both.
    static func prefers(_ type: String, in fields: HTTPFields) throws(Problem) -> Bool {
        guard let accept = fields.combined("accept"), let type = MediaType(type),
            let json = MediaType(Self.json)
        else { return false }
        let quality = type.quality(inAccept: accept)
        if quality > json.quality(inAccept: accept) { return true }
        if quality == 0 { try check(fields) }
        return false
    }

    /// Refuses a body with a content coding (RFC 9110 §8.4).
    static func checkEncoding(_ head: HTTPRequestHead) throws(Problem) {
        guard let encoding = head.fields.first("content-encoding"), !encoding.elementsEqual("identity".utf8)
        else {
            return
        }
        let text = String(decoding: encoding.prefix(100), as: UTF8.self)
        throw Problem(.unsupportedMediaType, "Content-Encoding is \(text). Send the body as it is, unpacked.")
            .field("Accept-Encoding", "identity")
    }

    /// The content type of a body; nil when it has none.
    /// - Throws: `.invalidHeader` when it has two: an intermediary that reads the other one sees another request.
    static func contentType(_ head: HTTPRequestHead) throws(Problem) -> ArraySlice<UInt8>? {
        guard let type = head.fields.first("content-type") else { return nil }
        guard head.fields.count(of: "content-type") == 1 else {
            throw Problem(header: "Content-Type", "There are several Content-Type fields. Send one.")
        }
        return type
    }

    /// Refuses a body that no endpoint takes, for clients that send `Expect: 100-continue` (RFC 9110 §10.1.1).
    static func checkBody(_ head: HTTPRequestHead, takesSpecs: Bool) throws(Problem) {
        if let type = try contentType(head),
            scriptTypes.contains(name(of: type)) || lineTypes.contains(name(of: type))
        {
            return try checkEncoding(head)
        }
        try checkJSONBody(head, takesSpecs: takesSpecs)
    }

    /// Whether a body has the type that most clients send, so that nothing else need be asked.
    static func isPlainJSONBody(_ head: HTTPRequestHead) throws(Problem) -> Bool {
        guard let type = try contentType(head), isPlainJSON(type) else { return false }
        try checkEncoding(head)
        return true
    }

    /// Refuses a body whose content type is not JSON.
    /// - Parameter takesSpecs: whether the endpoint takes job specs, which may be written as curl lines.
    static func checkJSONBody(_ head: HTTPRequestHead, takesSpecs: Bool = false) throws(Problem) {
        try checkEncoding(head)
        guard let type = try contentType(head) else {
            if head.framing == .none { return }
            // A web page may send a body without a type to any site, without a preflight.
            throw Problem(
                .unsupportedMediaType,
                "The body has no Content-Type. Add -H 'Content-Type: application/json', or use curl --json.")
        }
        if isJSON(type) { return }
        let text = String(decoding: type.prefix(100), as: UTF8.self)
        throw Problem(
            .unsupportedMediaType,
            "Content-Type is \(text), but \(takesSpecs ? "a job spec" : "this body") is JSON. With curl: curl --json "
                + "'{…}' URL, or add -H 'Content-Type: application/json' to -d."
                + (takesSpecs ? " A curl command line is text/x-shellscript." : ""))
    }

    /// The media types of curl command lines.
    static let scriptTypes = [
        "text/x-shellscript", "text/x-sh", "application/x-sh", "application/x-shellscript",
    ]
    /// The media types of bodies with one JSON value a line.
    static let lineTypes = ["application/x-ndjson", "application/jsonl"]

    /// The type without parameters, in lower case.
    static func name(of type: ArraySlice<UInt8>) -> String {
        String(decoding: type.prefix { $0 != 0x3B && $0 != 0x20 }, as: UTF8.self).lowercased()
    }

    /// The fast path of `isJSON`, for the value that most clients send.
    static func isPlainJSON(_ value: ArraySlice<UInt8>) -> Bool { value.elementsEqual(exactJSON) }

    private static let anything = Array("*/*".utf8)
    private static let exactJSON = Array(json.utf8)

    /// `application/json` or `application/…+json`, with or without parameters, case-insensitive.
    private static func isJSON(_ value: ArraySlice<UInt8>) -> Bool {
        if isPlainJSON(value) { return true }
        let type = value.prefix { $0 != 0x3B && $0 != 0x20 }.map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        if type == exactJSON { return true }
        return type.starts(with: Array("application/".utf8))
            && type.suffix(5).elementsEqual(Array("+json".utf8))
    }
}
